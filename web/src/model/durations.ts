// Durations and sizes in few characters.

/** `7 ms`, `1.24 s`, `2 min 05 s` */
export function showMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `512 B`, `1.5 kB`, `20 MB` */
export function showBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** Times of day are of the reader's place, in 24 hours wherever they are shown. */
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** `14:05`, and the day before it where that is not today: `30 Nov, 14:05` */
export function showTime(iso: string): string {
  const time = new Date(iso);
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(undefined, isToday ? CLOCK : { ...CLOCK, day: 'numeric', month: 'short' });
}

/** `14:05:09.123` */
export function showMoment(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, { ...CLOCK, second: '2-digit', fractionalSecondDigits: 3 });
}
