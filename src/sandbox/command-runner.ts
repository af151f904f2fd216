// The port behind which commands run: checks what can be checked, waits for a free place, and passes the rest to the helper.
import { availableParallelism } from 'node:os';
import { commandFault, type CommandOwner, type CommandRequest, type CommandResult, type ProgramResult } from '../contract/index.ts';
import { createFairPlaces } from './fair-places.ts';
import { startHelperProcess, type HelperProcess } from './helper-process.ts';
import type { EnclosingRunner, HelperTimes } from './messages.ts';
import { forgetCommand, reattach } from './left-commands.ts';

export interface CommandRunnerOptions {
  /** Commands and programs that run at once; the rest wait, and their owners take turns. */
  readonly maxProcesses?: number;
  /** Milliseconds that a command has between SIGTERM and SIGKILL. */
  readonly killGraceMs?: number;
  /** Milliseconds that commands go on after the service has died, unless it takes them up again. */
  readonly orphanMs?: number;
  /** Milliseconds that the service may stand still before all that runs is killed. Absent: as long as it likes. */
  readonly watchdogMs?: number;
  /** Helper processes. Starting a command keeps its helper busy, so that two start a batch almost twice as fast. */
  readonly helpers?: number;
}

/** Starts the helpers at once; one that died is replaced when the next command comes. `close` kills all and ends them. */
export function startCommandRunner(
  options: CommandRunnerOptions = {},
): EnclosingRunner & { close(): Promise<void>; readonly load: () => Readonly<Load> } {
  const { maxProcesses = 64, helpers: count = Math.min(2, availableParallelism()) } = options;
  const load: Load = { running: 0, waiting: 0 };
  const inTurn = createPlaces(maxProcesses, load);
  const inBackground = createPlaces(Math.max(1, Math.floor(maxProcesses / 2)));
  const start = () => startHelperProcess(timesOf(options));
  const helpers = Array.from({ length: count }, start);
  let closed = false;

  function leastLoaded(): HelperProcess {
    if (closed) throw new Error('The command runner was closed.');
    for (const [index, helper] of helpers.entries()) if (!helper.alive()) helpers[index] = start();
    return helpers.reduce((best, helper) => (helper.load() < best.load() ? helper : best));
  }

  const runInTurn: EnclosingRunner['run'] = (request) => inTurn(request, { skipped: NOT_RUN, start: () => leastLoaded().run(request) });

  /** Without a limit of time it could keep its place for ever: it keeps its limit until there is room for it in the background. */
  const runMovable: EnclosingRunner['run'] = async ({ untimed, ...request }) => {
    const [lifted, left] = [new AbortController(), new AbortController()];
    let moved = false;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const lift = (): Promise<void> => {
      lifted.abort();
      return ended;
    };
    const move = (): void => {
      moved = true;
      void inBackground({ ...(request.owner && { owner: request.owner }), signal: left.signal }, { skipped: undefined, start: lift });
    };
    if (untimed?.aborted === true) move();
    else untimed?.addEventListener('abort', move);
    try {
      return await runInTurn({ ...request, untimed: lifted.signal });
    } finally {
      untimed?.removeEventListener('abort', move);
      if (moved) left.abort();
      end();
    }
  };

  return {
    async run(request) {
      assertRunnable(request.command);
      if (request.background === true) return inBackground(request, { skipped: NOT_RUN, start: () => runInTurn(request) });
      return request.untimed === undefined ? runInTurn(request) : runMovable(request);
    },
    async exec(request) {
      return inTurn(request, { skipped: NOT_EXECUTED, start: () => leastLoaded().exec(request) });
    },
    load: () => load,
    reattach,
    forget: forgetCommand,
    async close() {
      closed = true;
      await Promise.all(helpers.map((helper) => helper.close()));
    },
  };
}

function timesOf({ killGraceMs = 1000, orphanMs = 60_000, watchdogMs }: CommandRunnerOptions): HelperTimes {
  return { graceMs: killGraceMs, orphanMs, ...(watchdogMs !== undefined && { watchdogMs }) };
}

const NOT_RUN: CommandResult = { exitCode: null, signal: null, stopped: 'aborted', outputBytes: 0, cwd: null };
const NOT_EXECUTED: ProgramResult = { exitCode: null, stdout: '', stderr: '', truncated: false, stopped: 'aborted' };

function assertRunnable(command: string): void {
  const fault = commandFault(command);
  if (fault !== null) throw new Error(fault);
}

/** Commands and programs that run, and that wait for a place. */
interface Load {
  running: number;
  waiting: number;
}

/** Whoever does not say who it is. */
const NOBODY: CommandOwner = { key: '', session: '' };

type Waiting = Pick<CommandRequest, 'owner' | 'signal' | 'onWaited'>;

interface Turn<Result> {
  readonly start: () => Promise<Result>;
  /** The answer when the request was aborted before its turn came. */
  readonly skipped: Result;
}

/** @returns a function that runs what is asked for as soon as its owner may have a place, and gives the place back after */
function createPlaces(capacity: number, load: Load = { running: 0, waiting: 0 }) {
  const places = createFairPlaces<() => void>(capacity);
  function giveAway(): void {
    for (let enter = places.next(); enter !== undefined; enter = places.next()) enter();
  }

  async function entered(owner: CommandOwner, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const enter = (): void => resolve(true);
    const leave = (): void => {
      places.leave(owner, enter);
      resolve(false);
    };
    signal.addEventListener('abort', leave);
    places.wait(owner, enter);
    giveAway();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  return async <Result>({ owner = NOBODY, signal, onWaited }: Waiting, { start, skipped }: Turn<Result>): Promise<Result> => {
    if (signal.aborted) return skipped;
    load.waiting += 1;
    const waitsSince = performance.now();
    const hasPlace = await entered(owner, signal);
    load.waiting -= 1;
    onWaited?.(performance.now() - waitsSince);
    if (!hasPlace) return skipped;
    load.running += 1;
    try {
      return signal.aborted ? skipped : await start();
    } finally {
      load.running -= 1;
      places.release(owner);
      giveAway();
    }
  };
}
