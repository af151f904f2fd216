// How often somebody may ask: requests by key, and wrong keys by address. Nodes count together where they can; while they cannot,
// each counts alone, as an outage of what they share must not lock anybody out.
import fastifyRateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem, type RateCounter } from '../../contract/index.ts';

export interface RateOptions {
  readonly requestsPerMinute: number;
  readonly failuresPerMinute: number;
  /** Counts for all nodes; absent where there is no other. */
  readonly shared?: RateCounter | undefined;
}

export interface RequestRates {
  /** Counts a request of its owner. @throws Problem `too-many-requests` */
  countRequest(request: FastifyRequest): Promise<void>;
  /** Counts a wrong key. @throws Problem `too-many-requests`, from then on instead of `unauthorized` */
  countFailure(request: FastifyRequest): Promise<void>;
}

interface Limit {
  readonly max: number;
  /** What is counted, such as the requests of an owner. */
  readonly keyOf: (request: FastifyRequest) => string;
  /** What somebody is told who goes past it. */
  readonly rule: string;
}

const MINUTE_MS = 60_000;

export async function requestRates(app: FastifyInstance, options: RateOptions): Promise<RequestRates> {
  const { requestsPerMinute, failuresPerMinute, shared } = options;
  await app.register(fastifyRateLimit, { global: false });
  return {
    countRequest: limiter(app, shared, {
      max: requestsPerMinute,
      keyOf: ({ owner }) => `requests ${owner ?? ''}`,
      rule: `At most ${requestsPerMinute} requests a minute with one key.`,
    }),
    countFailure: limiter(app, shared, {
      max: failuresPerMinute,
      keyOf: ({ ip }) => `failures ${normalizeIP(ip)}`,
      rule: 'Too many wrong keys came from this address.',
    }),
  };
}

function limiter(app: FastifyInstance, shared: RateCounter | undefined, { max, keyOf, rule }: Limit) {
  const countAlone = app.createRateLimit({ max, timeWindow: MINUTE_MS, keyGenerator: keyOf });
  return async (request: FastifyRequest): Promise<void> => {
    const together = shared && (await unlessAway(shared.add(keyOf(request), MINUTE_MS)));
    const seconds = together === undefined ? waitOf(await countAlone(request)) : together.count > max ? together.endsInMs / 1_000 : 0;
    if (seconds <= 0) return;
    const retryAfterSeconds = Math.ceil(seconds);
    throw new Problem('too-many-requests', `${rule} Wait for ${retryAfterSeconds} seconds.`, { retryAfterSeconds });
  };
}

/** Seconds until the window of somebody ends who is past the limit; 0 for everybody else. */
function waitOf(count: Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>): number {
  return !count.isAllowed && count.isExceeded ? count.ttlInSeconds : 0;
}

async function unlessAway<T>(counting: Promise<T>): Promise<T | undefined> {
  try {
    return await counting;
  } catch (error) {
    if (error instanceof Problem && error.code === 'store-unavailable') return undefined;
    throw error;
  }
}
