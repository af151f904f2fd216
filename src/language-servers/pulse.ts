/** Something that happens again and again, and can be waited for. */
export interface Pulse {
  /** Resolves when it happens next. */
  next(): Promise<void>;
  beat(): void;
}

export function createPulse(): Pulse {
  let following = Promise.withResolvers<void>();
  return {
    next: () => following.promise,
    beat() {
      following.resolve();
      following = Promise.withResolvers();
    },
  };
}
