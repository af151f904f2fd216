// Server-Sent Events off a body, as the service writes them: lines, of which an empty one ends an event.

export interface ServerSentEvent {
  /** Empty where the event has none. */
  readonly id: string;
  readonly data: string;
}

/** Characters that one event may have: what is longer is no event of the service. */
const LONGEST = 64 * 1024 * 1024;

/** @yields events, and `null` for whatever else shows that the other side is there. @throws TypeError when the connection breaks */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let fields = { id: '', data: [] as string[] };
  let rest = '';
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? '';
      if (rest.length > LONGEST) throw new TypeError('An event of the service is too long.');
      yield null;
      for (const line of lines) {
        length = line === '' ? 0 : length + line.length;
        if (length > LONGEST) throw new TypeError('An event of the service is too long.');
        if (line === '') {
          if (fields.data.length > 0) yield { id: fields.id, data: fields.data.join('\n') };
          fields = { id: '', data: [] };
        } else take(fields, line);
      }
    }
  } finally {
    await reader.cancel().catch(() => {
      // It has ended already.
    });
  }
}

function take(fields: { id: string; data: string[] }, line: string): void {
  const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
  if (name === 'data') fields.data.push(value);
  else if (name === 'id') fields.id = value;
}
