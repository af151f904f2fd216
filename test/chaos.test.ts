// The fault-injection run: its plan, and a small one of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CallFacts } from '../chaos/checks/call-facts.ts';
import { faultsOfTraces } from '../chaos/checks/effects.ts';
import { faultsOfLog } from '../chaos/checks/log.ts';
import { FAULT_KINDS, FAULTS, planFaults } from '../chaos/plan/faults.ts';
import { planSession, planTurn } from '../chaos/plan/workload.ts';
import type { Report } from '../chaos/report.ts';
import type { LoggedEvent, TurnSummary } from '../src/contract/index.ts';

const CHAOS = fileURLToPath(new URL('../chaos/index.ts', import.meta.url));

async function runChaos(t: TestContext, args: readonly string[]): Promise<{ code: number | null; report: Report; said: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-chaos-test-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const json = join(directory, 'report.json');
  const child = spawn(process.execPath, [CHAOS, '--json', json, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGINT'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = await readFile(json, 'utf8').catch(() => assert.fail(said));
  return { code, report: JSON.parse(text) as Report, said };
}

// A cluster takes minutes: `npm run chaos`.
test('a service under faults keeps its promises', async (t) => {
  const { code, report, said } = await runChaos(t, ['--store', 'sqlite', '--seed', '5', '--faults', '6', '--sessions', '8']);
  assert.deepEqual(report.violations, [], said);
  assert.equal(code, 0, said);
  const faults = Object.entries(report.counts).filter(([name]) => name.startsWith('fault '));
  assert.equal(
    faults.reduce((sum, [, times]) => sum + times, 0),
    6,
  );
  assert.equal(report.counts['sessions'], 8);
  assert.ok((report.counts['outcome ok'] ?? 0) > 20, said);
});

test('a wrong option is told, with what to give instead', async () => {
  const child = spawn(process.execPath, [CHAOS, '--store', 'sqlite', '--nodes', '3'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 2);
  assert.equal(said, 'Several nodes need --store redis: SQLite is for one.\n');
});

describe('a plan', () => {
  const plan = (seed: number) => planFaults({ seed, faults: 100, ttlMs: 3_000, kinds: FAULT_KINDS });
  const work = (seed: number) => {
    const session = planSession(seed, 3);
    return [session, ...Array.from({ length: 20 }, (_, index) => planTurn(seed, session, index))];
  };

  test('is the same for the same seed, and another for another one', () => {
    assert.deepEqual(plan(7), plan(7));
    assert.notDeepEqual(plan(7), plan(8));
    assert.deepEqual(work(7), work(7));
    assert.notDeepEqual(work(7), work(8));
  });

  test('has as many faults as were asked for, of the kinds that may come', () => {
    const faults = planFaults({ seed: 1, faults: 333, ttlMs: 3_000, kinds: ['node-kill', 'delay'] }).flat();
    assert.equal(faults.length, 333);
    assert.deepEqual(new Set(faults.map(({ kind }) => kind)), new Set(['node-kill', 'delay']));
  });

  test('comes to every kind of fault, and freezes nodes past their leases', () => {
    const faults = planFaults({ seed: 1, faults: 1_000, ttlMs: 3_000, kinds: FAULT_KINDS }).flat();
    assert.deepEqual(new Set(faults.map(({ kind }) => kind)), new Set(FAULT_KINDS));
    for (const { kind, holdMs } of faults) if (kind === 'node-frozen-long') assert.ok(holdMs > 3_000 && FAULTS[kind].part === 'node');
  });

  test('names every call of a run differently', () => {
    const ids = [0, 1, 2].flatMap((index) => {
      const session = planSession(9, index);
      return [0, 1, 2, 3].flatMap((turn) => planTurn(9, session, turn).calls.map(({ id }) => id));
    });
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('the checks find', () => {
  const head = { time: '2026-01-01T00:00:00.000Z', session_id: 's', turn_id: 't' };
  const queued = (seq: number, id: string, index: number): LoggedEvent => {
    return { ...head, seq, type: 'call_queued', tool_use_id: id, index, name: 'Bash', input: {}, batch: index, concurrent: false };
  };
  const block = (id: string) => ({ type: 'tool_result' as const, tool_use_id: id, content: id, is_error: false });
  const result = (seq: number, id: string, index: number): LoggedEvent => {
    return {
      ...head,
      seq,
      type: 'tool_result',
      index,
      tool_use_id: id,
      name: 'Bash',
      outcome: 'ok',
      result: block(id),
      view: { title: id },
    };
  };
  const turn: TurnSummary = {
    id: 't',
    status: 'completed',
    created_at: head.time,
    duration_ms: 1,
    last_seq: 6,
    stop: null,
    batches: [],
    calls: [],
  };
  const end = (seq: number, ids: string[]): LoggedEvent => {
    return { ...head, seq, type: 'turn_completed', messages: [{ role: 'user', content: ids.map(block) }], turn };
  };
  const begin: LoggedEvent = { ...head, seq: 1, type: 'turn_started', format: 'anthropic' };
  const good = [begin, queued(2, 'a', 0), queued(3, 'b', 1), result(4, 'a', 0), result(5, 'b', 1), end(6, ['a', 'b'])];

  test('nothing in a log that is right', () => assert.deepEqual(faultsOfLog(good), []));

  const wrong: [what: string, events: LoggedEvent[]][] = [
    ['a result that is missing', [...good.slice(0, 4), end(5, ['a'])]],
    ['results in another order', [...good.slice(0, 3), result(4, 'b', 1), result(5, 'a', 0), end(6, ['b', 'a'])]],
    ['a result that came twice', [...good.slice(0, 5), result(6, 'b', 1), end(7, ['a', 'b', 'b'])]],
    ['messages in another order than the results', [...good.slice(0, 5), end(6, ['b', 'a'])]],
    ['a number that is left out', [...good.slice(0, 5), end(7, ['a', 'b'])]],
    ['a turn without an end', good.slice(0, 5)],
    [
      'a call that was taken twice',
      [...good.slice(0, 3), queued(4, 'a', 2), result(5, 'a', 0), result(6, 'b', 1), result(7, 'a', 2), end(8, ['a', 'b', 'a'])],
    ],
  ];
  for (const [what, events] of wrong) test(what, () => assert.notDeepEqual(faultsOfLog(events), []));

  const session = planSession(7, 0);
  const calls = (['once', 'edit', 'write'] as const).map((kind) => {
    const all = Array.from({ length: 50 }, (_, index) => planTurn(7, session, index)).flatMap((one) => one.calls);
    return all.find((call) => call.kind === kind) ?? assert.fail(kind);
  });
  const [command, edit, write] = calls.map(({ id }) => id) as [string, string, string];
  const traces = {
    tag: session.tag,
    calls,
    facts: new Map(calls.map(({ id }) => [id, { turnId: 't', starts: 1, outcome: 'ok' as const }])),
    effects: [command],
    edited: [session.tag, edit, 'the end'],
    written: new Map([[`written/${write}.txt`, `${session.tag} ${write}\n`.repeat(20)]]),
  };

  test('nothing in a workspace that is right', () => assert.deepEqual(faultsOfTraces(traces), []));
  test('an effect that was had twice', () => assert.equal(faultsOfTraces({ ...traces, effects: [command, command] }).length, 2));
  test('an effect that was told and is not there', () => assert.equal(faultsOfTraces({ ...traces, effects: [] }).length, 1));
  test('an effect of another session', () => assert.equal(faultsOfTraces({ ...traces, effects: [command, 'x7s1t0c0'] }).length, 1));
  test('an edit that was made twice', () =>
    assert.equal(faultsOfTraces({ ...traces, edited: [session.tag, edit, edit, 'the end'] }).length, 1));
  test('a file that is half written', () =>
    assert.equal(faultsOfTraces({ ...traces, written: new Map([[`written/${write}.txt`, 'x']]) }).length, 1));
  test('a call that had its effect before it was begun', () => {
    const facts = new Map<string, CallFacts>([...traces.facts, [command, { turnId: 't', starts: 0, outcome: 'aborted' }]]);
    assert.equal(faultsOfTraces({ ...traces, facts }).length, 1);
  });
});
