// A session whose lease is lost while it ends already: what another node may begin now must not run on here.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Leases, type Tool } from '../../src/contract/index.ts';
import type { Session } from '../../src/sessions/session.ts';
import { localLeases } from '../../src/store/local-leases.ts';
import { memoryStore } from '../store/memory-store.ts';
import { NO_SERVICES } from '../support/nobody.ts';
import { plainToolbox } from '../support/plain-toolbox.ts';
import { options, registry, work } from './plain-registry.ts';

interface World {
  readonly sessions: readonly Session[];
  /** As when it could not be renewed in time. */
  readonly lose: (sessionId: string) => void;
  /** Ids of calls that were told to stop, and of sessions whose services were. */
  readonly stopped: string[];
  /** Lets every call end that was told to stop. */
  readonly end: () => void;
}

/** Sessions with one call each that may finish what it is at, and takes its time when it is stopped. */
async function running(t: TestContext, ids: readonly string[]): Promise<World> {
  const stopped: string[] = [];
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const tool = buildTool({
    name: 'Work',
    inputSchema: z.looseObject({}),
    description: () => 'Takes its time.',
    interruptBehavior: 'finish',
    async call(_input, { toolUseId, signal }) {
      begun.push(toolUseId);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stopped.push(toolUseId);
      await gate.promise;
      return { content: 'stopped' };
    },
  }) as Tool;
  const { leases, lose } = losable();
  const { sessions, parts } = registry(t, memoryStore());
  t.after(() => gate.resolve());
  Object.assign(parts, {
    leases,
    limits: { ...parts.limits, graceMs: 60_000 },
    toolboxFor: () => plainToolbox([tool]),
    servicesFor: () => ({
      ...NO_SERVICES,
      runSchedule: () => Promise.resolve(),
      busy: false,
      close: async () => void stopped.push('services'),
    }),
  });
  const made = [];
  for (const id of ids) {
    const session = await sessions.create('', options);
    session.startTurn('anthropic', [work(id)]).done.catch(() => {});
    made.push(session);
  }
  while (begun.length < ids.length) await sleep(5);
  return { sessions: made, lose, stopped, end: gate.resolve };
}

function losable(): { leases: Leases; lose: (sessionId: string) => void } {
  const inner = localLeases('node');
  const losses = new Map<string, AbortController>();
  const leases: Leases = {
    ...inner,
    async acquire(sessionId) {
      const lease = await inner.acquire(sessionId);
      if (lease === null) return null;
      const loss = new AbortController();
      losses.set(sessionId, loss);
      const lost = AbortSignal.any([lease.lost, loss.signal]);
      return { ...lease, lost, isHeld: () => !lost.aborted };
    },
  };
  return { leases, lose: (sessionId) => losses.get(sessionId)?.abort() };
}

for (const [how, end] of [
  ['closed', (session: Session) => session.close('deleted')],
  ['left to another', (session: Session) => session.suspend('drained')],
] as const) {
  test(`a session that is being ${how} stops what runs at once when its lease is lost, and what else it has beside that`, async (t) => {
    const { sessions, lose, stopped, end: endCalls } = await running(t, ['lost', 'kept']);
    const ending = sessions.map(end);
    await sleep(50);
    assert.deepEqual(stopped, [], 'both may finish what they are at');
    lose(sessions[0]?.id ?? '');
    while (stopped.length < 2) await sleep(5);
    assert.deepEqual(new Set(stopped), new Set(['lost', 'services']), 'the other one still may');
    lose(sessions[1]?.id ?? '');
    endCalls();
    await Promise.all(ending);
    assert.equal(stopped.filter((what) => what === 'services').length, 2, 'each closes its services once');
  });
}
