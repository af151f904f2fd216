// Idempotency-Key: what a request made (a session, a turn) is kept for a day under its key, and whoever repeats the
// request gets that instead of another one. A key is held while the thing is made, not while it is answered, so that
// nothing here depends on the client's connection. Two at once: the second waits until the first has made it, also at another
// node, where the store says whether somebody makes it.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { inSequence, Problem, type Claim, type Claimed, type IdempotencyRecord, type Store } from '../contract/index.ts';

/** Milliseconds for which a key means what was made under it. */
export const KEEP_MS = 86_400_000;
/** How long a request waits for another node that makes the same, and how often it asks, in milliseconds. */
const [WAIT_MS, RETRY_MS] = [10_000, 50];
const KEY = /^[\x21-\x7e]{1,255}$/;

/** What is kept under a key. */
export type Kept = Omit<IdempotencyRecord, 'digest'>;

export interface Making<Made> {
  /** When it throws, nothing is kept and the key is free again. */
  readonly make: () => Promise<Made>;
  /** By what it is found again. Called only where there is a key. */
  readonly keep: (made: Made) => Promise<Kept> | Kept;
  /** Takes back what was made and could not be kept, so that nobody could find it again. */
  readonly drop?: (made: Made) => Promise<void>;
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
    /** Makes something once for all requests with the same key. @throws Problem `idempotency-key-reused`, `invalid-request`, `session-elsewhere` */
    idempotent: Idempotent;
  }
}

export const idempotency = fastifyPlugin<{ store: Store }>((app: FastifyInstance, { store }, done) => {
  const inTurn = inSequence();
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());

  app.decorate('idempotent', async (request, making) => {
    const key = keyOf(request);
    if (key === null) return making.make();
    const owner = request.owner ?? '';
    const digest = digestOf(request);
    const claimed = await inTurn(JSON.stringify([owner, key]), async () => {
      const found = await claimInTime(() => store.claim(owner, key), closing.signal);
      return 'claim' in found ? { made: await makeOnce(found.claim, making, digest) } : found;
    });
    if ('made' in claimed) return claimed.made;
    if (claimed.record.digest === digest) return making.again(claimed.record);
    throw new Problem('idempotency-key-reused', 'This Idempotency-Key was used with another request within the last day.');
  });
  done();
});

/** Makes it and keeps how it is found again. */
async function makeOnce<Made>(claim: Claim, { make, keep, drop }: Making<Made>, digest: string): Promise<Made> {
  try {
    const made = await make();
    try {
      if (await claim.keep({ ...(await keep(made)), digest, expiresAt: Date.now() + KEEP_MS })) return made;
      throw madeElsewhere();
    } catch (error) {
      await drop?.(made).catch(() => {
        // It goes when its time is over.
      });
      throw error;
    }
  } finally {
    await claim.release();
  }
}

/** Waits a while for whoever makes it at another node. @throws Problem `session-elsewhere` */
async function claimInTime(claim: () => Promise<Claimed | null>, signal: AbortSignal): Promise<Claimed> {
  for (const until = performance.now() + WAIT_MS; performance.now() < until && !signal.aborted;) {
    const claimed = await claim();
    if (claimed !== null) return claimed;
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {
      // The service stops: the loop looks.
    });
  }
  throw madeElsewhere();
}

function madeElsewhere(): Problem {
  const detail = 'Another node makes what was asked for under this Idempotency-Key: send the same request again, with the same key.';
  return new Problem('session-elsewhere', detail, { retryAfterSeconds: 1 });
}

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
