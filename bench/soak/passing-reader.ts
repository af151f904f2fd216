// A reader that comes, reads some events, and goes without a word or with one; the next time it goes on where it was.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventHead } from './event-head.ts';

export interface PassingReader {
  /** Reads as many events as that, which must be there or come. @throws Error when the socket ends before */
  visit(events: number): Promise<void>;
  /** Events that did not follow their predecessor's number. */
  gaps(): number;
}

export function passingReader(socketUrl: string): PassingReader {
  let last = 0;
  let gaps = 0;
  let visits = 0;
  return {
    async visit(events) {
      // The first events may come with the answer to the upgrade: nothing is waited for before they are listened to.
      const socket = new WebSocket(`${socketUrl}?after=${last}`, 'toolexec.v1', { perMessageDeflate: false });
      const gone = once(socket, 'close');
      const { promise: read, resolve } = Promise.withResolvers<void>();
      let left = events;
      socket.on('message', (data: Buffer) => {
        const head = eventHead(data);
        if (head === null || left === 0) return;
        if (head.seq !== last + 1) gaps += 1;
        last = head.seq;
        left -= 1;
        if (left === 0) resolve();
      });
      const ended = gone.then(([code]) => {
        throw new Error(`The socket of a reader was closed with code ${String(code)}.`);
      });
      await Promise.race([read, ended]);
      visits += 1;
      ended.catch(() => {
        // It goes by itself now.
      });
      if (visits % 2 === 0) socket.terminate();
      else socket.close();
      await gone;
    },
    gaps: () => gaps,
  };
}
