import { ErrorReply } from '@redis/client';
import { messageOf, Problem } from '../../contract/index.ts';
import { unavailable } from '../outages.ts';

/** Seconds after which Redis may be back. */
const RETRY_AFTER_SECONDS = 2;

/** First words of error replies that tell of the state Redis is in rather than of the command. */
const OUTAGES = new Map([
  ['OOM', 'Redis has used up its memory (maxmemory)'],
  ['MISCONF', 'Redis cannot write to its disk'],
  ['READONLY', 'the Redis that was reached is a read-only replica'],
  ['MASTERDOWN', 'the Redis that was reached has lost its master'],
  ['NOREPLICAS', 'Redis has too few replicas'],
  ['LOADING', 'Redis is reading its data'],
  ['BUSY', 'Redis is busy with a script'],
  ['TRYAGAIN', 'the Redis Cluster is moving data'],
  ['CLUSTERDOWN', 'the Redis Cluster is down'],
  ['NOAUTH', 'Redis wants a password'],
  ['WRONGPASS', 'Redis does not take the password'],
  ['NOPERM', 'Redis does not let this user do it'],
]);

/** Turns an outage of Redis, or of the way to it, into Problem `store-unavailable`; any other error stays what it is. */
export function storeError(error: unknown): unknown {
  if (error instanceof ErrorReply) {
    const reason = OUTAGES.get(error.message.split(' ', 1)[0] ?? '');
    return reason === undefined ? error : redisUnavailable(reason, error);
  }
  // Besides error replies the client only throws for its connection.
  return error instanceof Error && !(error instanceof Problem) ? redisUnavailable('Redis cannot be reached', error) : error;
}

export function redisUnavailable(reason: string, cause?: unknown): Problem {
  return unavailable(reason, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** Why Redis cannot be used at all, for the person who starts the service. @param place host and port, without a password */
export function openError(place: string, error: unknown): Error {
  return new Error(`Redis at ${place} cannot be used as the store: ${messageOf(error)} Check TOOLEXEC_STORE, and that Redis runs.`, {
    cause: error,
  });
}
