// Server-Sent Events: one thin reader of a log. A client that does not read makes only its own stream wait.
import type { FastifyReply } from 'fastify';
import type { LogItem } from '../src/sessions/log-reader.ts';

const COMMENT_EVERY_MS = 15_000;

/** Fires when the client of this reply has gone before it was answered in full. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Writes items as they come, a comment every 15 s in between, and ends with them. */
export async function sendEventStream(reply: FastifyReply, batches: AsyncIterable<LogItem[]>, signal: AbortSignal): Promise<void> {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const comments = setInterval(() => raw.write(': still here\n\n'), COMMENT_EVERY_MS);
  try {
    for await (const items of batches) {
      if (signal.aborted) break;
      if (!raw.write(items.map(frame).join(''))) await writable(raw);
    }
  } catch (error) {
    if (!signal.aborted) raw.destroy(error instanceof Error ? error : undefined);
  } finally {
    clearInterval(comments);
    raw.end();
  }
}

function frame({ seq, type, json }: LogItem): string {
  return `${seq === null ? '' : `id: ${seq}\n`}event: ${type}\ndata: ${json}\n\n`;
}

/** Resolves when the client has read enough to go on, or has gone. */
function writable(raw: FastifyReply['raw']): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      raw.off('drain', done);
      raw.off('close', done);
      resolve();
    };
    raw.on('drain', done);
    raw.on('close', done);
  });
}
