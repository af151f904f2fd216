// Messages as they stand in a stream: header lines, an empty line, and as many bytes of JSON as the header says.
import type { Readable } from 'node:stream';
import { Message } from 'vscode-jsonrpc/node';

const HEADER_END = '\r\n\r\n';
const MAX_HEADER_BYTES = 8_192;

export interface SizedMessage {
  readonly message: Message;
  /** Bytes of its JSON. */
  readonly size: number;
}

/** @throws Error for what is no message, and for one of more bytes than that, before they are read */
export async function* readMessages(stream: Readable, maxBytes: number): AsyncGenerator<SizedMessage, void> {
  let parts: Buffer[] = [];
  let kept = 0;
  let size: number | undefined;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    parts.push(chunk);
    kept += chunk.length;
    while (size === undefined || kept >= size) {
      const bytes = joined(parts);
      let rest: Buffer;
      if (size === undefined) {
        const end = headerEnd(bytes);
        if (end === undefined) break;
        size = contentLength(bytes.toString('latin1', 0, end), maxBytes);
        rest = bytes.subarray(end + HEADER_END.length);
      } else {
        yield { message: parseMessage(bytes.toString('utf8', 0, size)), size };
        rest = bytes.subarray(size);
        size = undefined;
      }
      parts = [rest];
      kept = rest.length;
    }
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first, ...others] = parts;
  return first !== undefined && others.length === 0 ? first : Buffer.concat(parts);
}

/** `undefined` while the header is not whole. */
function headerEnd(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEADER_END);
  if (end > MAX_HEADER_BYTES || (end === -1 && bytes.length > MAX_HEADER_BYTES)) throw notAMessage();
  return end === -1 ? undefined : end;
}

function contentLength(header: string, maxBytes: number): number {
  const [, digits] = /^content-length:\s*(\d{1,15})\s*$/im.exec(header) ?? [];
  if (digits === undefined) throw notAMessage();
  const length = Number(digits);
  if (length > maxBytes) throw new Error(`It wants to send a message of ${length} bytes, and at most ${maxBytes} are taken.`);
  return length;
}

/** Nothing else is handed on: what is no message is printed by the library as a whole. */
function parseMessage(text: string): Message {
  const message = parseJson(text);
  if (Message.isRequest(message) || Message.isNotification(message)) return message;
  if (Message.isResponse(message) && message.id !== null) return message;
  throw notAMessage();
}

function parseJson(text: string): Message | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && 'jsonrpc' in parsed ? (parsed as Message) : undefined;
  } catch (error) {
    throw new Error('It sent a message that is no JSON.', { cause: error });
  }
}

function notAMessage(): Error {
  return new Error('It printed something that is no message: its standard output is for messages of the protocol alone.');
}
