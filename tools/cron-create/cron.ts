import { Cron } from 'croner';
import { messageOf } from '../../src/contract/index.ts';

const YEAR_MS = 366 * 86_400_000;

/** What is wrong with a time in five fields, for the model; `null` when nothing is. Fields that fine cannot come more often than once a minute. */
export function cronFault(cron: string, now: Date): string | null {
  // Names such as @daily and dates are times to the parser as well.
  if (cron.split(/\s+/).length !== 5)
    return `cron must have five fields (minute, hour, day of the month, month, day of the week), such as 0 9 * * 1-5.`;
  try {
    const next = nextTime(cron, now);
    if (next !== null && next.getTime() - now.getTime() <= YEAR_MS) return null;
    return `${cron} does not come within a year: choose a time that does.`;
  } catch (error) {
    return `cron cannot be read: ${messageOf(error).replace(/^CronPattern: /, '')}`;
  }
}

/** The first time after `from`; `null` when there is none. @throws Error for what is no time */
export function nextTime(cron: string, from: Date): Date | null {
  return new Cron(cron, { mode: '5-part', timezone: 'UTC', paused: true }).nextRun(from);
}
