// The port to work that goes on after its call has ended: commands and agents in the background of a session.
import type { TaskSummary } from './event.ts';

/** How a task ended. */
export interface TaskEnd {
  readonly status: 'completed' | 'failed' | 'stopped';
  /** Of a command that was not killed by a signal. */
  readonly exitCode?: number;
}

/** What a task is given to work with. */
export interface TaskPlace {
  readonly id: string;
  /** Absolute path of the file that the task writes all its output to; readers follow it while it grows. */
  readonly outputFile: string;
  /** Fires when the task must end. */
  readonly signal: AbortSignal;
}

export interface TaskStart {
  readonly kind: TaskSummary['kind'];
  /** What runs, for people: the line of a command. */
  readonly command?: string;
  /** A few words on what it is for. */
  readonly description?: string;
  /** Where the output already lies, of work that began in the foreground; else the session gives the task a file of its own. */
  readonly outputFile?: string;
  /** Exit codes of its command, beside 0, that tell no failure: the 1 of a `grep` that found nothing. */
  readonly benignExits?: readonly number[];
  /** Does the work, or goes on with it. One that throws has failed, and its error's text is put after the output. */
  run(place: TaskPlace): Promise<TaskEnd>;
}

export interface TaskOutput {
  /** Decoded as UTF-8, never cut inside of a character. */
  readonly text: string;
  /** Bytes into the output at which `text` begins. */
  readonly offset: number;
  /** Where the next read goes on. */
  readonly nextOffset: number;
  /** Bytes there are so far. */
  readonly size: number;
  /** Bytes of news before `offset` that nobody is shown, since there were more than was asked for. */
  readonly passedOver: number;
}

/** The tasks of one session; the last 100 that ended are remembered. */
export interface BackgroundTasks {
  /** Begins a task. Nothing of it outlives the session. @throws Error fit for a model when as many run as may, or the session ends */
  start(task: TaskStart): TaskSummary;
  get(id: string): TaskSummary | undefined;
  /** Newest first. */
  list(): readonly TaskSummary[];
  /**
   * Reads a part of what a task has put out.
   * @param from byte offset; `news` goes on where the last read of news ended, and gives the newest where there is more
   * @param maxBytes at most this much, and room for one character at least
   * @throws Error when there is no such task
   */
  read(id: string, from: number | 'news', maxBytes: number): Promise<TaskOutput>;
  /** Absolute path of the file with all that a task has put out. @throws Error when there is no such task */
  outputFile(id: string): string;
  /** Resolves with the task once it has ended, or as it is when `signal` fires. @throws Error when there is no such task */
  ended(id: string, signal: AbortSignal): Promise<TaskSummary>;
  /** Stops a task, and resolves when it has ended. @throws Error when there is no such task */
  stop(id: string): Promise<TaskSummary>;
}
