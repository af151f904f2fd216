// The service's end of the helper: sends orders, hands reports to whoever waits, and if the helper dies, kills what it ran. If
// the service dies first, the helper sees to what is left.
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { whenFired, type CommandRequest, type CommandResult, type ProgramResult } from '../contract/index.ts';
import type { EnclosingRunner, ExecOrder, HelperTimes, Order, Report, RunOrder } from './messages.ts';
import { killGroup } from './processes/processes.ts';
import { killHolders } from './processes/stray-processes.ts';

const CLOSE_TIMEOUT_MS = 5000;
/** Signs of life within the time after which the helper takes the service for frozen. */
const SIGNS_OF_LIFE = 4;
/** How a helper ends when it was told to. */
const IN_ORDER = 'exit code 0';

export interface HelperProcess {
  /** False once it has died or was closed: the next order needs a new one. */
  alive(): boolean;
  /** How many orders it has not answered yet. */
  load(): number;
  readonly run: EnclosingRunner['run'];
  readonly exec: EnclosingRunner['exec'];
  /** Kills all that runs and ends the process. */
  close(): Promise<void>;
}

type Result = CommandResult | ProgramResult;
type Unnumbered<Kind> = Omit<Kind, 'id'>;

interface Attention {
  readonly signal: AbortSignal;
  readonly untimed?: AbortSignal | undefined;
  readonly onOutput?: CommandRequest['onOutput'];
}

interface Job {
  pid: number | undefined;
  readonly onOutput: CommandRequest['onOutput'];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

export function startHelperProcess(times: HelperTimes): HelperProcess {
  const directory = makeDirectory();
  const child = forkHelper(directory, times);
  const jobs = new Map<number, Job>();
  const untold: Order[] = [];
  let orders = 0;
  let closing = false;
  let alive = true;
  const gone = Promise.withResolvers<void>();

  const stopSigns = giveSigns(times, () => tell({ type: 'alive' }));

  function end(how: string): void {
    if (!alive) return;
    alive = false;
    stopSigns();
    void bury(jobs, { directory, how, closing }).then(gone.resolve);
  }

  child.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  child.on('error', (error) => end(error.message));
  child.on('message', (reports: readonly Report[]) => reports.forEach((report) => receive(jobs, report)));

  /** Orders of one moment, such as those of a batch, go together. */
  function tell(order: Order): void {
    if (untold.push(order) === 1) process.nextTick(deliver);
  }

  function deliver(): void {
    child.send(untold.splice(0), () => {
      // An order that cannot be delivered is answered when the process is found dead.
    });
  }

  async function carryOut(order: Unnumbered<RunOrder> | Unnumbered<ExecOrder>, { signal, untimed, onOutput }: Attention): Promise<Result> {
    const id = (orders += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    jobs.set(id, { pid: undefined, onOutput, resolve, reject });
    tell({ ...order, id });
    const stop = (): void => tell({ type: 'stop', id });
    const untime = (): void => tell({ type: 'untime', id });
    whenFired(signal, stop);
    if (untimed !== undefined) whenFired(untimed, untime);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', stop);
      untimed?.removeEventListener('abort', untime);
    }
  }

  return {
    alive: () => alive,
    load: () => jobs.size,
    // The helper answers a `run` with what `run` gives, and an `exec` likewise.
    run: ({ owner: _owner, onWaited: _onWaited, signal, untimed, onOutput, ...order }) =>
      carryOut({ type: 'run', ...order }, { signal, untimed, onOutput }) as Promise<CommandResult>,
    exec: ({ owner: _owner, onWaited: _onWaited, signal, ...order }) =>
      carryOut({ type: 'exec', ...order }, { signal }) as Promise<ProgramResult>,
    async close() {
      closing = true;
      if (child.connected) tell({ type: 'end' });
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_TIMEOUT_MS);
      await gone.promise;
      clearTimeout(timer);
    },
  };
}

/** What the service has compiled, the helper need not compile again. */
function compiled(): Record<string, string> {
  const directory = getCompileCacheDir();
  // Each version of Node has its own below the one that was named.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}

function forkHelper(directory: string, times: HelperTimes): ChildProcess {
  const file = join(import.meta.dirname, 'supervisor', `supervisor${extname(import.meta.filename)}`);
  return fork(file, [directory, JSON.stringify(times)], {
    // The secrets of the service and its flags stay with the service.
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...compiled() },
    // It makes and forgets small things alone: room for more would be filled before it is swept.
    execArgv: ['--max-semi-space-size=1'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Tells again and again that the service lives, where the helper wants to hear it. @returns a function that stops it */
function giveSigns({ watchdogMs }: HelperTimes, give: () => void): () => void {
  if (watchdogMs === undefined) return () => {};
  const timer = setInterval(give, watchdogMs / SIGNS_OF_LIFE);
  return () => clearInterval(timer);
}

interface Death {
  readonly directory: string;
  readonly how: string;
  /** The service wanted it to end. */
  readonly closing: boolean;
}

/** Kills what a helper ran that has ended, and tells whoever waits for that. Never rejects. */
async function bury(jobs: Map<number, Job>, { directory, how, closing }: Death): Promise<void> {
  const error = closing
    ? new Error('The command runner was closed.')
    : new Error(`The helper process that runs commands ended (${how}): the command was killed and may have taken effect in part.`);
  for (const job of jobs.values()) killGroup(job.pid, 'SIGKILL');
  // A helper that leaves in order has killed all itself. One that died may have started what it could not report any more.
  if (how !== IN_ORDER) await killHolders(directory);
  for (const job of jobs.values()) job.reject(error);
  jobs.clear();
  await rm(directory, { recursive: true, force: true }).catch(() => {
    // It is empty but for pipes, and nobody is left to be told.
  });
}

/** In memory if possible: two FIFOs are made and removed for each command, which a disk makes slow. */
function makeDirectory(): string {
  try {
    return mkdtempSync('/dev/shm/toolexec-commands-');
  } catch {
    // Not every system has this file system, or lets us write there.
    return mkdtempSync(join(tmpdir(), 'toolexec-commands-'));
  }
}

function receive(jobs: Map<number, Job>, report: Report): void {
  const job = jobs.get(report.id);
  if (job === undefined) return;
  if (report.type === 'started') {
    job.pid = report.pid;
  } else if (report.type === 'output') {
    job.onOutput?.({ offset: report.offset, text: report.text });
  } else {
    jobs.delete(report.id);
    if (report.type === 'failed') job.reject(new Error(report.message));
    else job.resolve(report.result);
  }
}
