/** Does something again and again until the timer is cleared, never twice at once. It keeps no process alive. */
export function every(ms: number, work: () => Promise<void>, onError: (error: unknown) => void): NodeJS.Timeout {
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    void work()
      .catch(onError)
      .finally(() => (busy = false));
  }, ms);
  return timer.unref();
}
