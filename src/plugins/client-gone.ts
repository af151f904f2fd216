import type { FastifyReply } from 'fastify';

/** Fires when the client of this reply has gone before it was answered in full. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const left = (): void => {
    if (!raw.writableFinished) controller.abort();
  };
  raw.once('close', left);
  // It may have gone before anybody looked.
  if (raw.closed || raw.destroyed) left();
  return controller.signal;
}
