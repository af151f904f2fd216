// Server-Sent Events: one thin reader of a log. A client that does not read makes only its own stream wait, and not for
// ever.
import type { FastifyReply } from 'fastify';
import type { LogItem } from '../src/sessions/log/log-reader.ts';

/** Writes items as they come, comments in between, and ends with them; cut off when the client does not read. */
export async function sendEventStream(reply: FastifyReply, batches: AsyncIterable<LogItem[]>, signal: AbortSignal): Promise<void> {
  const { raw, request } = reply;
  const { sse_comment_ms, reader_patience_ms } = reply.server.services.config.limits;
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const leave = reply.server.eventStreams.add(request.owner ?? '');
  const comments = setInterval(() => raw.write(': still here\n\n'), sse_comment_ms);
  try {
    if (await writeAll(raw, { batches, signal, patienceMs: reader_patience_ms })) raw.end();
    else raw.destroy();
  } catch (error) {
    if (!signal.aborted) request.log.error({ err: error }, 'event stream failed');
    raw.destroy();
  } finally {
    clearInterval(comments);
    leave();
  }
}

interface Writing {
  readonly batches: AsyncIterable<LogItem[]>;
  readonly signal: AbortSignal;
  readonly patienceMs: number;
}

/** @returns false when the client has left or does not read */
async function writeAll(raw: FastifyReply['raw'], { batches, signal, patienceMs }: Writing): Promise<boolean> {
  for await (const items of batches) {
    for (const item of items) {
      if (signal.aborted) return false;
      if (!raw.write(frame(item)) && !(await drained(raw, patienceMs))) return false;
    }
  }
  return true;
}

function frame({ seq, type, json }: LogItem): string {
  return `${seq === null ? '' : `id: ${seq}\n`}event: ${type}\ndata: ${json}\n\n`;
}

/** Resolves when the client has read enough to go on; false when it has left, or takes longer than that. */
export async function drained(raw: FastifyReply['raw'], patienceMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onDrain = (): void => resolve(true);
  const onClose = (): void => resolve(false);
  const timer = setTimeout(onClose, patienceMs);
  raw.once('drain', onDrain).once('close', onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    raw.off('drain', onDrain).off('close', onClose);
  }
}
