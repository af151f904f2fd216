/** Does something when a signal fires, at once where it has. @param until after that the signal is not listened to any more */
export function whenFired(signal: AbortSignal, then: () => void, until?: AbortSignal): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true, ...(until && { signal: until }) });
}
