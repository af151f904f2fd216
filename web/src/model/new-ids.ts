// Ids of calls in a message, of whichever format: a session takes each once, so that a message can run again under new ones.

/** How the parts are called that name a call. */
const CALLS = new Set(['tool_use', 'function', 'custom', 'function_call', 'custom_tool_call']);
/** Ends an id that was made here; the next one takes its place. */
const MARK = /_r[0-9a-z]+$/;

/** The message with other ids for its calls, and all else as it was. @param mark a word that no earlier id has */
export function withNewIds(message: unknown, mark: string): unknown {
  if (Array.isArray(message)) return message.map((part) => withNewIds(part, mark));
  if (typeof message !== 'object' || message === null) return message;
  const isCall = CALLS.has((message as { type?: string }).type ?? '');
  const fields = Object.entries(message).map(([name, value]) => {
    if (!isCall) return [name, withNewIds(value, mark)];
    if ((name !== 'id' && name !== 'call_id') || typeof value !== 'string') return [name, value];
    return [name, `${value.replace(MARK, '')}_r${mark}`];
  });
  return Object.fromEntries(fields) as unknown;
}

/** A word that changes with each millisecond. */
export function newMark(): string {
  return Date.now().toString(36);
}
