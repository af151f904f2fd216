// Requests to the letter: headers that HTTP clients will not send, such as a foreign or second Host.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from '../support/server.ts';

export interface RawReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** @param head the request line and header lines; `Connection: close` is added. @throws when the connection is reset */
export async function rawRequest(url: string, head: readonly string[], body = ''): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
  const reply = await text(socket);
  const [top = '', ...rest] = reply.split('\r\n\r\n');
  const [line = '', ...fields] = top.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(line.split(' ')[1]), headers, body: parsed(rest.join('\r\n\r\n')) };
}

function parsed(content: string): Json {
  try {
    return JSON.parse(content) as Json;
  } catch {
    return { text: content };
  }
}
