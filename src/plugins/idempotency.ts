// Idempotency-Key: the first reply under a key is kept for a day and given again to whoever repeats the request. Two
// at once: the second waits for the first.
import { createHash } from 'node:crypto';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type IdempotencyRecord, type Store } from '../contract/index.ts';

const KEEP_MS = 86_400_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Honours `Idempotency-Key`. */
    idempotent?: boolean;
  }
  interface FastifyRequest {
    idempotency: Claim | null;
  }
}

interface Claim {
  readonly id: string;
  readonly owner: string;
  readonly key: string;
  readonly digest: string;
  /** Lets those go on who wait for this request. */
  release(): void;
}

export const idempotency = fastifyPlugin<{ store: Store }>((app: FastifyInstance, { store }, done) => {
  const running = new Map<string, Promise<void>>();
  app.decorateRequest('idempotency', null);

  app.addHook('preHandler', async (request, reply): Promise<FastifyReply | undefined> => {
    const key = request.headers['idempotency-key'];
    if (request.routeOptions.config.idempotent !== true || key === undefined) return undefined;
    if (typeof key !== 'string' || !KEY.test(key))
      throw new Problem('invalid-request', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
    const owner = request.owner ?? '';
    const id = JSON.stringify([owner, key]);
    for (let other = running.get(id); other !== undefined; other = running.get(id)) await other;
    const { promise, resolve } = Promise.withResolvers<void>();
    running.set(id, promise);
    const release = (): void => {
      running.delete(id);
      resolve();
    };
    try {
      const digest = digestOf(request);
      const record = await store.idempotency(owner, key);
      if (record === null) {
        request.idempotency = { id, owner, key, digest, release };
        return undefined;
      }
      release();
      if (record.digest !== digest)
        throw new Problem('idempotency-key-reused', 'This Idempotency-Key was used with another request within the last day.');
      return sendRecorded(reply, record);
    } catch (error) {
      release();
      throw error;
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const claim = request.idempotency;
    if (claim === null || typeof payload !== 'string' || reply.statusCode >= 400) return payload;
    const location = reply.getHeader('location');
    await store.remember(claim.owner, claim.key, {
      digest: claim.digest,
      status: reply.statusCode,
      body: payload,
      headers: typeof location === 'string' ? { location } : {},
      expiresAt: Date.now() + KEEP_MS,
    });
    return payload;
  });

  app.addHook('onRequestAbort', (request, next) => {
    request.idempotency?.release();
    next();
  });
  app.addHook('onResponse', (request, _reply, next) => {
    request.idempotency?.release();
    next();
  });
  done();
});

function sendRecorded(reply: FastifyReply, record: IdempotencyRecord): FastifyReply {
  return reply
    .status(record.status)
    .headers({ ...record.headers, 'toolexec-replayed': 'true' })
    .type('application/json; charset=utf-8')
    .send(record.body);
}

function digestOf(request: FastifyRequest): string {
  return createHash('sha256')
    .update(`${request.method} ${request.url}\n${JSON.stringify(request.body) ?? ''}`)
    .digest('base64url');
}
