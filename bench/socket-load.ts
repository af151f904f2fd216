// Many sockets at once. Each answer is looked at only as far as its first bytes, and nothing is made for a call that could
// be made once for its socket: what the client takes is missing from what the servers can show.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { ERROR_HEAD, framesOf, TURN_COMPLETED } from './client.ts';
import { percentile } from './statistics.ts';

/** Sockets, the frames that they send, and the first characters of what answers each frame. */
export interface SocketLoad {
  readonly sockets: readonly WebSocket[];
  readonly frame: () => string;
  readonly answerHead: string;
}

/** Calls `take` with each answer on a socket, until it has said that it was the last one. @throws Error when the socket closes, or is told of an error */
function answers(socket: WebSocket, head: string, take: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (error?: Error): void => {
    socket.off('message', look);
    socket.off('close', closed);
    if (error === undefined) resolve();
    else reject(error);
  };
  const look = (data: Buffer): void => {
    const start = data.toString('latin1', 0, head.length);
    if (start === head) {
      if (take()) end();
    } else if (data.toString('latin1', 0, ERROR_HEAD.length) === ERROR_HEAD) {
      end(new Error(`The service refused a frame: ${data.toString()}`));
    }
  };
  const closed = (code: number): void => end(new Error(`A socket was closed with code ${code} before all was answered.`));
  socket.on('message', look);
  socket.once('close', closed);
  return promise;
}

/** Every socket sends a frame when its one before is answered, so many times. */
export async function closedLoop(load: SocketLoad, calls: number): Promise<{ perSecond: number; p99Us: number }> {
  const { sockets, frame, answerHead } = load;
  const latenciesUs: number[] = [];
  const startMs = performance.now();
  await Promise.all(
    sockets.map((socket) => {
      let left = calls;
      let sentMs = performance.now();
      const answered = answers(socket, answerHead, () => {
        const nowMs = performance.now();
        latenciesUs.push((nowMs - sentMs) * 1000);
        left -= 1;
        if (left === 0) return true;
        sentMs = nowMs;
        socket.send(frame());
        return false;
      });
      socket.send(frame());
      return answered;
    }),
  );
  const seconds = (performance.now() - startMs) / 1000;
  return { perSecond: latenciesUs.length / seconds, p99Us: percentile(latenciesUs, 0.99) };
}

/**
 * Frames are sent at a fixed rate, whether earlier ones are answered or not, on one socket after another. Each wait is
 * counted from the moment when its frame was due: a server that holds up the client is not spared the frames that came late.
 * @returns the 99th percentile, in microseconds
 */
export async function openLoop(load: SocketLoad, { perSecond, seconds }: { perSecond: number; seconds: number }): Promise<number> {
  const { sockets, frame, answerHead } = load;
  const each = Math.floor((perSecond * seconds) / sockets.length);
  const latenciesUs: number[] = [];
  const due = sockets.map((): number[] => []);
  const answered = sockets.map((socket, index) => {
    let got = 0;
    return answers(socket, answerHead, () => {
      latenciesUs.push((performance.now() - (due[index]?.[got] ?? 0)) * 1000);
      got += 1;
      return got === each;
    });
  });
  const startMs = performance.now();
  for (let sent = 0; sent < each * sockets.length;) {
    const dueMs = startMs + (sent * 1000) / perSecond;
    if (dueMs > performance.now()) {
      // Timers are too coarse; the loop must turn for answers to be seen.
      await nextTurn();
      continue;
    }
    due[sent % sockets.length]?.push(dueMs);
    sockets[sent % sockets.length]?.send(frame());
    sent += 1;
  }
  await Promise.all(answered);
  return percentile(latenciesUs, 0.99);
}

/** Ends the open turn of every socket. */
export async function endTurns(sockets: readonly WebSocket[]): Promise<void> {
  await Promise.all(
    sockets.map(async (socket) => {
      const ended = framesOf(socket, TURN_COMPLETED);
      socket.send('{"type":"end"}');
      await ended;
    }),
  );
}
