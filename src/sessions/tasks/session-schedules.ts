// The timers of what a session has planned. They know the time alone: what is done then, and what is kept, is for others.
import { Cron } from 'croner';
import type { Schedule } from '../../contract/index.ts';

export interface ScheduleHandlers {
  /** The time of a schedule has come. Never throws; while a promise of it is open the schedule's next time is passed over. */
  readonly run: (schedule: Schedule) => void | Promise<void>;
  /** A schedule that happens once has had its time, or it passed while nobody kept time, or its fields cannot be read. */
  readonly onDone: (id: string) => void;
}

/** Holds timers until `close`. They keep no process alive. */
export class SessionSchedules {
  readonly #handlers: ScheduleHandlers;
  readonly #jobs = new Map<string, Cron>();
  /** Told as done, and perhaps still in a list that was made before. */
  readonly #done = new Set<string>();
  #closed = false;

  constructor(handlers: ScheduleHandlers) {
    this.#handlers = handlers;
  }

  /** Schedules that wait for their time. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Keeps time for these and for no others. A schedule with a known id is the same as before. */
  renew(schedules: readonly Schedule[]): void {
    if (this.#closed) return;
    const ids = new Set(schedules.map(({ id }) => id));
    for (const [id, job] of this.#jobs) if (!ids.has(id)) this.#drop(id, job);
    for (const id of this.#done) if (!ids.has(id)) this.#done.delete(id);
    for (const schedule of schedules) if (!this.#jobs.has(schedule.id) && !this.#done.has(schedule.id)) this.#begin(schedule);
  }

  close(): void {
    this.#closed = true;
    for (const [id, job] of this.#jobs) this.#drop(id, job);
  }

  #begin(schedule: Schedule): void {
    const job = jobOf(schedule, () => this.#come(schedule));
    if (job === null || hasPassed(schedule, job)) {
      job?.stop();
      this.#finish(schedule.id);
    } else this.#jobs.set(schedule.id, job);
  }

  #come(schedule: Schedule): void | Promise<void> {
    const job = this.#jobs.get(schedule.id);
    if (job === undefined) return;
    if (!schedule.recurring) {
      this.#drop(schedule.id, job);
      this.#finish(schedule.id);
    }
    return this.#handlers.run(schedule);
  }

  #drop(id: string, job: Cron): void {
    job.stop();
    this.#jobs.delete(id);
  }

  /** Told a moment later: who hears of it may be in the middle of telling this what there is. */
  #finish(id: string): void {
    this.#done.add(id);
    queueMicrotask(() => {
      if (!this.#closed) this.#handlers.onDone(id);
    });
  }
}

/** `null` for fields that are no time. */
function jobOf({ cron }: Schedule, come: () => void | Promise<void>): Cron | null {
  try {
    return new Cron(cron, { mode: '5-part', timezone: 'UTC', unref: true, protect: true, catch: true }, come);
  } catch {
    // Kept by another version of the service, which read such fields: it never comes.
    return null;
  }
}

/** What happens once does not happen a year later because nobody kept time when it should have. */
function hasPassed({ recurring, createdAt }: Schedule, job: Cron): boolean {
  if (recurring) return false;
  const time = job.nextRun(new Date(createdAt));
  return time === null || time.getTime() <= Date.now();
}
