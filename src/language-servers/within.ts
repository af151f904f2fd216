export interface Bounds {
  readonly signal: AbortSignal;
  readonly ms: number;
}

/** What did not happen in time. */
export class TooLate extends Error {
  override readonly name = 'TooLate';
}

/**
 * Waits for something no longer than that; it goes on by itself.
 * @throws TooLate with the words of `late`, and Error as soon as the signal fires: its reason where that is one
 */
export async function within<Result>(work: Promise<Result>, { signal, ms, late }: Bounds & { readonly late: string }): Promise<Result> {
  const { promise: never, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('The question was stopped.'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => reject(new TooLate(late)), ms);
  try {
    return await Promise.race([work, never]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Whether it happened in that time. @throws Error when the signal fires, or what is waited for fails */
export async function happens(work: Promise<unknown>, bounds: Bounds): Promise<boolean> {
  try {
    await within(work, { ...bounds, late: '' });
    return true;
  } catch (error) {
    if (error instanceof TooLate) return false;
    throw error;
  }
}
