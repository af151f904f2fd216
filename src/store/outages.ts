import { Problem } from '../contract/index.ts';

/** @param reason ends the sentence "The store does not work at the moment: …" */
export function unavailable(reason: string, options: { retryAfterSeconds: number; cause?: unknown }): Problem {
  return new Problem('store-unavailable', `The store does not work at the moment: ${reason}.`, options);
}

export function closedError(): Problem {
  return new Problem('store-unavailable', 'The store is closed: the service is stopping.', { retryAfterSeconds: 1 });
}

export function isOutage(error: unknown): boolean {
  return error instanceof Problem && error.code === 'store-unavailable';
}
