// Lines of JSON on a socket.
import type { Socket } from 'node:net';

/** Characters; whoever sends a longer line is cut off. */
const MAX_LINE_CHARS = 65_536;

/** Hears what is no JSON, and what comes after a line that is too long, as the end of the connection. */
export function readJsonLines(socket: Socket, heard: (line: unknown) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      for (const line of lines) heard(JSON.parse(line));
    } catch {
      socket.destroy();
    }
    if (rest.length > MAX_LINE_CHARS) socket.destroy();
  });
}

export function writeJsonLine(socket: Socket, line: unknown): void {
  if (socket.writable) socket.write(`${JSON.stringify(line)}\n`);
}
