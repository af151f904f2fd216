// Idempotency-Key: what a request made (a session, a turn) is kept for a day under its key, and whoever repeats the
// request gets that instead of another one. A key is held while the thing is made, not while it is answered, so that
// nothing here depends on the client's connection. Two at once: the second waits until the first has made it.
import { createHash } from 'node:crypto';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem, type IdempotencyRecord, type Store } from '../contract/index.ts';

/** Milliseconds for which a key means what was made under it. */
export const KEEP_MS = 86_400_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** What is kept under a key. */
export type Kept = Omit<IdempotencyRecord, 'digest'>;

export interface Making<Made> {
  /** When it throws, nothing is kept and the key is free again. */
  readonly make: () => Promise<Made>;
  /** By what it is found again. Called only where there is a key. */
  readonly keep: (made: Made) => Promise<Kept> | Kept;
  /** Finds it again for a request that was sent before. */
  readonly again: (kept: Kept) => Promise<Made> | Made;
}

export type Idempotent = <Made>(request: FastifyRequest, making: Making<Made>) => Promise<Made>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Honours `Idempotency-Key`: the handler goes through `server.idempotent`. */
    idempotent?: boolean;
  }
  interface FastifyInstance {
    /** Makes something once for all requests with the same key. @throws Problem `idempotency-key-reused`, `invalid-request` */
    idempotent: Idempotent;
  }
}

export const idempotency = fastifyPlugin<{ store: Store }>((app: FastifyInstance, { store }, done) => {
  /** By owner and key: settles when the thing is made, or could not be. */
  const making = new Map<string, Promise<void>>();

  app.decorate('idempotent', async (request, { make, keep, again }) => {
    const key = keyOf(request);
    if (key === null) return make();
    const owner = request.owner ?? '';
    const id = JSON.stringify([owner, key]);
    for (let other = making.get(id); other !== undefined; other = making.get(id)) await other;
    const { promise, resolve } = Promise.withResolvers<void>();
    making.set(id, promise);
    try {
      const digest = digestOf(request);
      const record = await store.idempotency(owner, key);
      if (record !== null) {
        if (record.digest === digest) return await again(record);
        throw new Problem('idempotency-key-reused', 'This Idempotency-Key was used with another request within the last day.');
      }
      const made = await make();
      await store.remember(owner, key, { ...(await keep(made)), digest, expiresAt: Date.now() + KEEP_MS });
      return made;
    } finally {
      making.delete(id);
      resolve();
    }
  });
  done();
});

/** @throws Problem `invalid-request` */
export function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new Problem('invalid-request', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
}

function digestOf(request: FastifyRequest): string {
  return createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(request.body) ?? ''}`)
    .digest('base64url');
}
