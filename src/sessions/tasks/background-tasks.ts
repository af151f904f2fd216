// What goes on in the background of one session. A task runs until it ends by itself, is stopped, or the session ends: nothing
// of it outlives that. The session is told of each end.
import { unlink } from 'node:fs/promises';
import {
  clipped,
  headOf,
  messageOf,
  type BackgroundTasks,
  type TaskEnd,
  type TaskOutput,
  type TaskStart,
  type TaskSummary,
} from '../../contract/index.ts';
import { newId } from '../ids.ts';
import { resumeTask, type Resuming } from './resumed-task.ts';
import { appendLine, readPart, sizeOf } from './task-output-file.ts';

const DEFAULT_LIMIT = 16;
/** Ended tasks that are remembered. */
const MOST_ENDED = 100;
const DEFAULT_STOP_MS = 10_000;
/** Characters kept of what people read of a task: its row is written again and again. */
const MOST_SHOWN = 1_000;
/** Characters of an error that go into the output. */
const MOST_OF_ERROR = 10_000;
/** Ids that an error names. */
const MOST_NAMED = 20;
const ADVICE = 'Wait until one has ended, or stop one that is no longer needed.';

/** A task as the session's row keeps it. */
export interface KeptTask extends TaskSummary {
  /** Where its output lies, of one that began in the foreground. */
  readonly output_file?: string;
  /** What its exit codes mean, should its command outlive the service. */
  readonly benign_exits?: readonly number[];
}

export interface SessionTasksOptions {
  /** Tasks that run at once. */
  readonly limit?: number;
  /** Milliseconds that a task has to end once it was stopped; then it counts as ended, whatever it still does. */
  readonly stopMs?: number;
  /** Absolute path of the file for the output of a new task; nothing is made. */
  readonly outputFileFor: (taskId: string) => string;
  /** What takes up the commands of tasks that ran when the service died. Absent: such tasks are stopped. */
  readonly commands?: Resuming;
  readonly onStarted?: (task: TaskSummary) => void;
  /** Whoever waits for the end of a task waits for this as well. */
  readonly onEnded: (task: TaskSummary) => void | Promise<void>;
}

interface Task {
  summary: TaskSummary;
  readonly outputFile: string;
  readonly benignExits: readonly number[];
  readonly stop: AbortController;
  /** Wakes those who wait for the end. */
  readonly waiting: Set<() => void>;
  /** Settles when it has ended and that was told. */
  done: Promise<void>;
  /** Where the last read of news ended. */
  newsEnd: number;
}

export class SessionTasks implements BackgroundTasks {
  readonly #limit: number;
  readonly #options: SessionTasksOptions;
  /** Oldest first. */
  readonly #tasks = new Map<string, Task>();
  /** Ids, in the order in which they ended. */
  readonly #ended: string[] = [];
  #closed = false;

  constructor(options: SessionTasksOptions) {
    this.#options = options;
    this.#limit = options.limit ?? DEFAULT_LIMIT;
  }

  /** How many run. */
  get running(): number {
    return this.#tasks.size - this.#ended.length;
  }

  /** As many run as may. */
  get full(): boolean {
    return this.running >= this.#limit;
  }

  /**
   * Takes back what was kept. The command of a task that ran then is taken up again; every other such task was stopped by whatever
   * ended the service, and `onEnded` hears of it soon after.
   */
  restore(kept: readonly KeptTask[]): void {
    for (const { output_file: given, benign_exits: benignExits, ...summary } of kept.toReversed()) {
      const outputFile = given ?? this.#options.outputFileFor(summary.id);
      const task = newTask(summary, { outputFile, benignExits });
      this.#tasks.set(summary.id, task);
      if (summary.status !== 'running') this.#remember(summary.id);
      else task.done = Promise.resolve().then(() => this.#goOn(task));
    }
  }

  /** @param outputFile absolute path: whether a task that is remembered writes to it */
  owns(outputFile: string): boolean {
    return [...this.#tasks.values()].some((task) => task.outputFile === outputFile);
  }

  /** For keeping, newest first. */
  summaries(): KeptTask[] {
    return [...this.#tasks.values()].toReversed().map((task) => ({
      ...shown(task),
      ...(task.outputFile !== this.#options.outputFileFor(task.summary.id) && { output_file: task.outputFile }),
      ...(task.benignExits.length > 0 && { benign_exits: task.benignExits }),
    }));
  }

  start(begun: TaskStart): TaskSummary {
    const { kind, command, description, outputFile, benignExits } = begun;
    if (this.#closed) throw new Error('The session ends: nothing more can begin in its background.');
    if (this.full) throw new Error(`${this.#limit} tasks run in the background of this session, which is as many as may. ${ADVICE}`);
    const id = newId('task');
    const summary: TaskSummary = {
      id,
      kind,
      status: 'running',
      ...(command !== undefined && { command: clipped(command, MOST_SHOWN) }),
      ...(description !== undefined && { description: clipped(description, MOST_SHOWN) }),
      started_at: new Date().toISOString(),
      output_bytes: 0,
    };
    const task = newTask(summary, { outputFile: outputFile ?? this.#options.outputFileFor(id), benignExits });
    this.#tasks.set(id, task);
    task.done = this.#carry(task, begun);
    this.#options.onStarted?.(shown(task));
    return shown(task);
  }

  get(id: string): TaskSummary | undefined {
    const task = this.#tasks.get(id);
    return task && shown(task);
  }

  list(): TaskSummary[] {
    return [...this.#tasks.values()].toReversed().map(shown);
  }

  outputFile(id: string): string {
    return this.#task(id).outputFile;
  }

  async read(id: string, from: number | 'news', maxBytes: number): Promise<TaskOutput> {
    const task = this.#task(id);
    const ended = task.summary.status !== 'running';
    const news = from === 'news';
    const begin = news ? task.newsEnd : from;
    const part = await readPart(task.outputFile, {
      from: (size) => (news ? Math.max(begin, size - maxBytes) : begin),
      maxBytes,
      ended,
    });
    if (news) task.newsEnd = part.nextOffset;
    return { ...part, passedOver: news ? Math.max(0, part.offset - begin) : 0 };
  }

  async ended(id: string, signal: AbortSignal): Promise<TaskSummary> {
    const task = this.#task(id);
    if (task.summary.status === 'running' && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      task.waiting.add(wake);
      signal.addEventListener('abort', wake);
      await promise;
      signal.removeEventListener('abort', wake);
      task.waiting.delete(wake);
    }
    return shown(task);
  }

  async stop(id: string): Promise<TaskSummary> {
    const task = this.#task(id);
    task.stop.abort();
    await task.done;
    return shown(task);
  }

  /** Stops all, takes no more, and resolves when each has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    const tasks = [...this.#tasks.values()];
    for (const { stop } of tasks) stop.abort();
    await Promise.all(tasks.map(({ done }) => done));
  }

  #task(id: string): Task {
    const task = this.#tasks.get(id);
    if (task !== undefined) return task;
    const ids = [...this.#tasks.keys()].toReversed().slice(0, MOST_NAMED);
    const known = ids.length === 0 ? 'It has none.' : `There are: ${ids.join(', ')}${this.#tasks.size > ids.length ? ', …' : ''}.`;
    throw new Error(`The session has no task ${JSON.stringify(id.slice(0, 80))}. ${known}`);
  }

  /** Never rejects. */
  #goOn(task: Task): Promise<void> {
    const { commands } = this.#options;
    if (commands === undefined || task.summary.kind !== 'command') return this.#end(task, { status: 'stopped' });
    return this.#carry(task, { run: (place) => resumeTask({ ...place, commands, benignExits: task.benignExits }) });
  }

  /** Never rejects. */
  async #carry(task: Task, begun: Pick<TaskStart, 'run'>): Promise<void> {
    const { signal } = task.stop;
    const place = { id: task.summary.id, outputFile: task.outputFile, signal };
    const left = Promise.withResolvers<TaskEnd>();
    const { stopMs = DEFAULT_STOP_MS } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const limit = (): void => void (timer = setTimeout(left.resolve, stopMs, { status: 'stopped' }));
    signal.addEventListener('abort', limit);
    let end: TaskEnd;
    try {
      // Called at once: its signal cannot have fired yet, so that a task need only listen.
      end = await Promise.race([begun.run(place), left.promise]);
    } catch (error) {
      end = { status: signal.aborted ? 'stopped' : 'failed' };
      if (end.status === 'failed') await noteError(task.outputFile, error);
    }
    signal.removeEventListener('abort', limit);
    clearTimeout(timer);
    await this.#end(task, end);
  }

  async #end(task: Task, { status, exitCode }: TaskEnd): Promise<void> {
    const { output_bytes: _before, ...summary } = task.summary;
    task.summary = {
      ...summary,
      status,
      ended_at: new Date().toISOString(),
      ...(exitCode !== undefined && { exit_code: exitCode }),
      output_bytes: sizeOf(task.outputFile),
    };
    this.#remember(summary.id);
    try {
      await this.#options.onEnded(shown(task));
    } catch {
      // Whoever keeps the end reports what goes wrong with it; the task has ended all the same.
    }
    for (const wake of task.waiting) wake();
    await this.#options.commands?.forget(task.outputFile);
  }

  #remember(id: string): void {
    this.#ended.push(id);
    if (this.#ended.length > MOST_ENDED) this.#forget(this.#ended.shift() ?? '');
  }

  /** Nobody can ask for its output any more. */
  #forget(id: string): void {
    const outputFile = this.#tasks.get(id)?.outputFile;
    this.#tasks.delete(id);
    if (outputFile !== undefined) void removeFile(outputFile);
  }
}

function newTask(
  summary: TaskSummary,
  { outputFile, benignExits = [] }: { outputFile: string; benignExits: readonly number[] | undefined },
): Task {
  return { summary, outputFile, benignExits, stop: new AbortController(), waiting: new Set(), done: Promise.resolve(), newsEnd: 0 };
}

function shown({ summary, outputFile }: Task): TaskSummary {
  return summary.status === 'running' ? { ...summary, output_bytes: sizeOf(outputFile) } : summary;
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch {
    // Never written, or not to be removed: it goes with the session.
  }
}

async function noteError(outputFile: string, error: unknown): Promise<void> {
  try {
    await appendLine(outputFile, headOf(messageOf(error), MOST_OF_ERROR));
  } catch {
    // The file cannot be written, which may be what the task has failed of; its status says that it has.
  }
}
