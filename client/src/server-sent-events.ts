// Server-Sent Events off a body, as the service writes them: lines, of which an empty one ends an event.

/** Characters that one event may have: what is longer is no event of the service. */
const LONGEST = 64 * 1024 * 1024;

/** @yields the data of each event, and `null` for whatever else shows that the other side is there. @throws TypeError when the connection breaks */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string | null> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let data: string[] = [];
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
          if (data.length > 0) yield data.join('\n');
          data = [];
        } else data.push(...dataOf(line));
      }
    }
  } finally {
    await reader.cancel().catch(() => {
      // It has ended already.
    });
  }
}

/** Where an event stands is told in its data, too: all other fields are passed over. */
function dataOf(line: string): string[] {
  const [, name, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
  return name === 'data' ? [value] : [];
}
