// For random calls with random durations, failures and aborts, over POST and over the socket: results are complete,
// unique and ordered, no two unsafe calls overlap, and no more than the limit runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { partition } from '../src/engine/schedule/partition.ts';
import { newTrace, workTool, type Trace } from './support/test-tools.ts';
import { assistant, call, startServer, type Json } from './support/server.ts';

const LIMIT = 3;

const Call = fc.record({
  kind: fc.constantFrom(...(['work', 'work', 'work', 'shell', 'unknown', 'invalid'] as const)),
  ms: fc.integer({ min: 0, max: 12 }),
  safe: fc.boolean(),
  fail: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
});
const Scenario = fc.record({
  calls: fc.array(Call, { maxLength: 14 }),
  gaps: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 14 }),
  abortAfter: fc.option(fc.integer({ min: 0, max: 25 }), { freq: 3 }),
});

const NAMES = { work: 'Work', shell: 'Shell', unknown: 'Nope', invalid: 'Work' } as const;

type DrawnCall = typeof Call extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function toCall({ kind, ms, safe, fail }: DrawnCall, id: string): Json {
  return call(id, NAMES[kind], kind === 'invalid' ? { ms: 'soon' } : { ms, safe, fail });
}

function checkTurn(calls: Json[], turn: Json, events: Json[], trace: Trace): void {
  const ids = calls.map(({ id }) => id as string);
  const results = events.filter(({ type }) => type === 'tool_result');
  assert.deepEqual(
    results.map(({ tool_use_id }) => tool_use_id),
    ids,
    'one result a call, in call order',
  );
  assert.deepEqual(
    results.map(({ index }) => index),
    ids.map((_, index) => index),
  );
  for (const id of ids) {
    const finished = events.findIndex((event) => event['type'] === 'call_finished' && event['tool_use_id'] === id);
    const released = events.findIndex((event) => event['type'] === 'tool_result' && event['tool_use_id'] === id);
    assert.ok(finished !== -1 && finished < released);
  }
  assert.deepEqual(trace.overlaps, []);
  assert.ok(trace.widest <= LIMIT, `${trace.widest} at once`);
  assert.equal(trace.running.size, 0);
  const expected = partition(calls, ({ name, input }) => name !== 'Nope' && input.ms !== 'soon' && input.safe === true);
  assert.deepEqual(
    turn['batches'],
    expected.map(({ concurrent, calls: members }) => ({ concurrent, tool_use_ids: members.map(({ id }) => id as string) })),
  );
}

test('over POST and over the socket, whatever the calls do, results are complete, unique and ordered', async (t) => {
  const trace = newTrace();
  const server = await startServer(t, {
    tools: [workTool(trace), workTool(trace, { name: 'Shell', abortsSiblings: true })],
    env: { TOOLEXEC_MAX_TOOL_USE_CONCURRENCY: String(LIMIT) },
  });
  const session = await server.session();
  const socket = await server.socket(`/v1/sessions/${session}/stream`);
  let run = 0;

  await fc.assert(
    fc.asyncProperty(Scenario, fc.boolean(), async ({ calls: drawn, gaps, abortAfter }, streamed) => {
      run += 1;
      trace.widest = 0;
      const calls = drawn.map((one, index) => toCall(one, `r${run}_${index}`));
      const from = socket.frames.length;
      const abort = async (): Promise<void> => {
        if (abortAfter === null) return;
        await sleep(abortAfter);
        const [open] = (await server.request('GET', `/v1/sessions/${session}/turns?limit=1`)).body['data'];
        if (open?.status === 'running') await server.request('POST', `/v1/sessions/${session}/turns/${open.id}/abort`);
      };
      if (streamed) {
        socket.send({ type: 'message_start', message: {} });
        const aborting = abort();
        for (const [index, one] of calls.entries()) {
          socket.send({ type: 'tool_use', ...one });
          await sleep(gaps[index] ?? 0);
        }
        socket.send({ type: 'message_stop' });
        await aborting;
      } else {
        const [reply] = await Promise.all([server.request('POST', `/v1/sessions/${session}/messages`, assistant(calls)), abort()]);
        assert.equal(reply.status, 200);
      }
      // An abort ends the open turn; calls that are sent after it open the next.
      const seen: Json[] = [];
      for (let looked = from; seen.flatMap(({ turn }) => turn.calls).length < calls.length || seen.length === 0;) {
        const done = await socket.type('turn_completed', looked);
        looked = socket.frames.indexOf(done) + 1;
        seen.push(done);
        const left = calls.length - seen.flatMap(({ turn }) => turn.calls).length;
        if (left > 0 && seen.length > 0 && streamed) socket.send({ type: 'end' });
      }
      let offset = 0;
      for (const { turn } of seen) {
        const count = turn.calls.length;
        const events = socket.frames.slice(from).filter(({ turn_id }) => turn_id === turn.id);
        checkTurn(calls.slice(offset, offset + count), turn, events, trace);
        offset += count;
      }
    }),
    { numRuns: 60 },
  );
});
