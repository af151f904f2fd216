// The commands of a run that are alive on this machine, found by what stands in their command line and environment.
import { readdir, readFile } from 'node:fs/promises';
import { RUN_VARIABLE } from '../clients/session-client.ts';
import type { Ledger } from '../ledger.ts';
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 400;
/** What a command whose call has ended may take to be gone. */
const GONE_MS = 3_000;

export interface Command {
  readonly pid: number;
  readonly line: string;
  /** Whether it is stopped or has ended, so that it does nothing. */
  readonly still: boolean;
}

/** All processes with the environment of a run's commands. */
export async function commandsOf(run: string): Promise<Command[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => lookAt(pid, run)));
  return found.filter((command) => command !== undefined);
}

async function lookAt(pid: string, run: string): Promise<Command | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    if (!environment.includes(`${RUN_VARIABLE}=${run}\0`)) return undefined;
    const line = (await readFile(`/proc/${pid}/cmdline`, 'latin1')).replaceAll('\0', ' ').trim();
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    const state = stat.slice(stat.lastIndexOf(')') + 2).charAt(0);
    return { pid: Number(pid), line, still: 'TtZX'.includes(state) };
  } catch {
    // It has ended while it was looked at, or is not ours to see.
    return undefined;
  }
}

export interface CommandWatch {
  stop(): Promise<void>;
}

export interface WatchOptions {
  readonly run: string;
  readonly ledger: Ledger;
  /** When a call was heard to have ended, by id. */
  readonly endedCalls: ReadonlyMap<string, number>;
}

/** Looks all the time for commands that run although their call has ended: their node is dead, and nobody stops them. */
export function watchCommands({ run, ledger, endedCalls }: WatchOptions): CommandWatch {
  const left = new AbortController();
  const since = new Map<number, number>();
  const told = new Set<number>();

  function look(commands: readonly Command[]): void {
    const now = performance.now();
    const late = commands.filter(({ line, still }) => !still && endedCalls.has(callIn(line) ?? ''));
    const pids = new Set(late.map(({ pid }) => pid));
    for (const pid of since.keys()) if (!pids.has(pid)) since.delete(pid);
    for (const { pid, line } of late) {
      const first = since.get(pid) ?? now;
      since.set(pid, first);
      if (now - first < GONE_MS || told.has(pid)) continue;
      told.add(pid);
      ledger.violate(callIn(line) ?? '', 'a command still runs although its call has ended', `process ${pid}: ${line.slice(-300)}`);
    }
  }

  async function loop(): Promise<void> {
    while (!left.signal.aborted) {
      look(await commandsOf(run));
      await wait(LOOK_MS, undefined, { signal: left.signal }).catch(() => undefined);
    }
  }

  const looping = loop();
  return {
    async stop() {
      left.abort();
      await looping;
    },
  };
}

/** The id of the call that a command line belongs to. */
function callIn(line: string): string | undefined {
  return /x\d+s\d+t\d+c\d+/.exec(line)?.[0];
}
