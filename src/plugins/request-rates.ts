// How often somebody may ask: requests by key, and wrong keys by address.
import fastifyRateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../contract/index.ts';

export interface RateOptions {
  readonly requestsPerMinute: number;
  readonly failuresPerMinute: number;
}

export interface RequestRates {
  /** Counts a request of its owner. @throws Problem `too-many-requests` */
  countRequest(request: FastifyRequest): Promise<void>;
  /** Counts a wrong key. @throws Problem `too-many-requests`, from then on instead of `unauthorized` */
  countFailure(request: FastifyRequest): Promise<void>;
}

const MINUTE_MS = 60_000;

export async function requestRates(app: FastifyInstance, { requestsPerMinute, failuresPerMinute }: RateOptions): Promise<RequestRates> {
  await app.register(fastifyRateLimit, { global: false });
  const byOwner = app.createRateLimit({ max: requestsPerMinute, timeWindow: MINUTE_MS, keyGenerator: ({ owner }) => owner ?? '' });
  const byAddress = app.createRateLimit({ max: failuresPerMinute, timeWindow: MINUTE_MS });
  return {
    countRequest: async (request) => refuseAbove(await byOwner(request), `At most ${requestsPerMinute} requests a minute with one key.`),
    countFailure: async (request) => refuseAbove(await byAddress(request), 'Too many wrong keys came from this address.'),
  };
}

type Count = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>;

function refuseAbove(count: Count, detail: string): void {
  if (count.isAllowed || !count.isExceeded) return;
  throw new Problem('too-many-requests', `${detail} Wait for ${count.ttlInSeconds} seconds.`, { retryAfterSeconds: count.ttlInSeconds });
}
