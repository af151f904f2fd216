// A run: the world is built, clients begin to work, storms come and go, and at the end everything is held against what was promised.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gatherCrowd, type Crowd } from './clients/run-session.ts';
import { createHttp, type Http } from './clients/http.ts';
import type { DrivenTurn } from './clients/driven-turn.ts';
import { checkSession } from './checks/check-session.ts';
import { settlingTimes, spreadOf, type Settling } from './checks/settling.ts';
import { inject } from './inject.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { ChaosOptions } from './options.ts';
import { planFaults, type FaultKind } from './plan/faults.ts';
import { makeReport, violationText, type Report } from './report.ts';
import { buildWorld, type BuiltWorld } from './world/build-world.ts';
import { watchOwners } from './world/owners.ts';
import { commandsOf, watchCommands } from './world/processes.ts';

/** What is added to the lease time: within it, most turns should have ended. */
const SETTLED_MS = 3_000;
/** What a turn may take longer than that. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 100;
/** What commands may take to be gone when their nodes have ended. */
const GONE_MS = 3_000;

export interface RunOptions {
  readonly options: ChaosOptions;
  /** Ends the run at once. */
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
}

/** @throws Error when the world does not hold, or the signal fires */
export async function runChaos({ options, signal, tell }: RunOptions): Promise<Report> {
  const beganAt = performance.now();
  const ledger = createLedger((violation) => tell(violationText(violation)));
  await using stack = new AsyncDisposableStack();
  const world = await buildWorld(options, ledger, stack);
  const leftOut = world.disk === undefined ? ['the data directory full, since this user may not mount a file system'] : [];
  const storms = planFaults({ ...options, kinds: kindsHere(options, world) });
  const over = new AbortController();
  stack.defer(() => over.abort());
  const http = createHttp({ url: world.proxy.url, ledger, signal: AbortSignal.any([signal, over.signal]) });
  stack.defer(() => http.close());
  const endedCalls = new Map<string, number>();
  const watch = watchCommands({ run: world.run, ledger, endedCalls });
  stack.defer(() => watch.stop());
  const crowd = gatherCrowd({ ...options, http, run: world.run, endedCalls });
  if (world.redis !== undefined) stack.defer(watchOwners({ url: world.redis.url, sessions: crowd.sessions, ledger }));

  await begun(crowd, signal);
  const overAt: number[] = [];
  for (const [index, storm] of storms.entries()) {
    await inject(storm, world, { ledger, signal });
    overAt.push(Date.now());
    await calm(crowd, { ledger, ttlMs: options.ttlMs, signal });
    tell(`storm ${index + 1} of ${storms.length}: ${crowd.turns.length} turns begun, ${ledger.violated} violations`);
  }
  await crowd.finish();
  tell('the last turns have ended');
  signal.throwIfAborted();
  const settled = await checkAll(crowd, http, options.logs);
  await endAll(world, ledger);
  const limit = options.ttlMs + SETTLED_MS;
  const times = settlingTimes(settled, overAt);
  const seconds = (performance.now() - beganAt) / 1_000;
  return makeReport(ledger, { options, seconds, leftOut, storms: storms.length, settling: spreadOf(times, limit) });
}

const OF_SEVERAL_NODES: readonly FaultKind[] = ['redis-kill', 'redis-frozen', 'node-frozen-long'];

function kindsHere({ store, kinds }: ChaosOptions, { disk }: BuiltWorld): FaultKind[] {
  return kinds.filter((kind) => (store === 'redis' || !OF_SEVERAL_NODES.includes(kind)) && (disk !== undefined || kind !== 'disk-full'));
}

/** Waits until everybody works. */
async function begun(crowd: Crowd, signal: AbortSignal): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (crowd.turns.length < crowd.active && performance.now() < until) await wait(LOOK_MS, undefined, { signal });
}

/** Waits until every turn has ended that is open now. */
async function calm(crowd: Crowd, { ledger, ttlMs, signal }: { ledger: Ledger; ttlMs: number; signal: AbortSignal }): Promise<void> {
  const waiting = [...crowd.open];
  const work = Math.max(0, ...waiting.map(({ plan }) => plan.workMs));
  const until = performance.now() + ttlMs + SETTLED_MS + work + PATIENCE_MS;
  const open = (): DrivenTurn[] => waiting.filter((turn) => crowd.open.has(turn));
  while (open().length > 0 && performance.now() < until) await wait(LOOK_MS, undefined, { signal });
  for (const { client, plan } of open()) {
    const late = Math.round((ttlMs + SETTLED_MS + work + PATIENCE_MS) / 1_000);
    ledger.violate(client.plan.tag, `turn ${plan.index} (${plan.way}) has not ended ${late} s after the last fault`);
  }
}

async function checkAll(crowd: Crowd, { ledger }: Http, logs: string | undefined): Promise<Settling[]> {
  ledger.count('sessions', crowd.sessions.length);
  ledger.count('turns', crowd.turns.length);
  const settled: Settling[] = [];
  for (const client of crowd.sessions) {
    const turns = crowd.turns.filter((turn) => turn.client === client);
    try {
      const { events, settling } = await checkSession(client, turns);
      settled.push(...settling);
      if (logs !== undefined) await writeFile(join(logs, `${client.plan.tag}.json`), JSON.stringify(events, null, 1));
    } catch (error) {
      ledger.violate(client.plan.tag, 'the session could not be read when all was over', String(error));
    }
  }
  return settled;
}

/** Ends the nodes as an operator does: then no command may be left. */
async function endAll({ nodes, run }: BuiltWorld, ledger: Ledger): Promise<void> {
  await nodes.close();
  const until = performance.now() + GONE_MS;
  let left = await commandsOf(run);
  while (left.length > 0 && performance.now() < until) {
    await wait(LOOK_MS);
    left = await commandsOf(run);
  }
  for (const { pid, line } of left) ledger.violate('run', `process ${pid} is left when all nodes have ended`, line);
}
