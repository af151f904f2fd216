/** How long to wait before the attempt after so many failures; up to a half of it is chance, so that not all come back at once. */
export function backOff(failures: number, { backOffMs, maxBackOffMs }: { backOffMs: number; maxBackOffMs: number }): number {
  const whole = Math.min(backOffMs * 2 ** Math.min(Math.max(failures - 1, 0), 20), maxBackOffMs);
  return whole * (1 - Math.random() / 2);
}
