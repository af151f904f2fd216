// What a running call asks of people: every question is told of, answered, and over when its call is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { buildTool, type ApprovalAnswer, type Approvals, type CallContext, type People, type Tool } from '../../src/contract/index.ts';
import { engineOptions, of, outcomes, results, resultText, settle, startAll, use } from '../support/run-engine.ts';

function asking(call: (people: People, context: CallContext) => Promise<string>, timeoutMs = 5_000): Tool {
  return buildTool({
    name: 'Asks',
    description: () => 'Asks',
    inputSchema: z.strictObject({}),
    isConcurrencySafe: () => true,
    timeoutMs,
    call: async (_input, context) => ({ content: await call(context.people, context) }),
  }) as Tool;
}

function desk(): Approvals & { answer(index: number, answer: ApprovalAnswer): void; withdrawn: string[] } {
  const answers: ((answer: ApprovalAnswer) => void)[] = [];
  const withdrawn: string[] = [];
  return {
    withdrawn,
    ask({ toolUseId: tool_use_id, name, input, reason }) {
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
      const summary = { id: `apr_${answers.length}`, tool_use_id, name, input, reason, suggestions: [], expires_at: '' };
      answers.push(resolve);
      return { summary, answer: promise, told: false };
    },
    withdraw(id, by) {
      withdrawn.push(`${id} ${by}`);
      answers[Number(id.slice(4))]?.({ behavior: 'deny', by });
    },
    answer: (index, answer) => answers[index]?.(answer),
  };
}

test('a question in the middle of a call is told of, and its answer reaches the tool', async () => {
  const approvals = desk();
  const tool = asking(async (people) => JSON.stringify(await people.approve({ reason: 'Which one?', input: { a: 1 } })));
  const turn = startAll([use('a', 'Asks')], engineOptions([tool], { approvals }));
  const asked = await turn.event(({ type }) => type === 'approval_requested');
  assert.deepEqual(asked.type === 'approval_requested' && [asked.approval.reason, asked.approval.input], ['Which one?', { a: 1 }]);
  approvals.answer(0, { behavior: 'allow', by: 'client', updatedInput: { b: 2 } });
  const events = await turn.events;
  assert.deepEqual(JSON.parse(resultText(results(events)[0])), { behavior: 'allow', by: 'client', updatedInput: { b: 2 } });
  const types = events.map(({ type }) => type);
  assert.ok(types.indexOf('approval_resolved') < types.indexOf('call_finished'));
});

test('a question that is open when its tool returns is taken back before the call has ended', async () => {
  const approvals = desk();
  const tool = asking(async (people) => {
    void people.approve({ reason: 'Never mind.' });
    return 'gone on';
  });
  const events = await startAll([use('a', 'Asks')], engineOptions([tool], { approvals })).events;
  const types = events.map(({ type }) => type);
  assert.deepEqual(approvals.withdrawn, ['apr_0 abort']);
  assert.ok(types.indexOf('approval_resolved') > 0 && types.indexOf('approval_resolved') < types.indexOf('call_finished'), types.join());
});

test('a tool that asks when its call is over gets a no, and nobody hears of it', async () => {
  const kept = Promise.withResolvers<People>();
  const approvals = desk();
  const tool = asking(async (people) => {
    kept.resolve(people);
    return 'done';
  });
  const events = await startAll([use('a', 'Asks')], engineOptions([tool], { approvals })).events;
  const people = await kept.promise;
  assert.equal((await people.approve({ reason: 'Too late.' })).behavior, 'deny');
  await assert.rejects(people.callClient({}), /has ended/);
  assert.ok(!events.some(({ type }) => type === 'approval_requested' || type === 'client_call'));
});

test('the time of a call stands still while any of its questions is open, and goes on after', async () => {
  const approvals = desk();
  const tool = asking(async (people, { signal }) => {
    await Promise.all([people.approve({ reason: 'One?' }), people.approve({ reason: 'Two?' })]);
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    return 'never';
  }, 80);
  const turn = startAll([use('a', 'Asks')], engineOptions([tool], { approvals }));
  await turn.event(({ type }) => type === 'approval_requested');
  await settle();
  approvals.answer(0, { behavior: 'allow', by: 'client' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  approvals.answer(1, { behavior: 'allow', by: 'client' });
  const events = await turn.events;
  assert.equal(events.filter(({ type }) => type === 'approval_resolved').length, 2);
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'approval_resolved' ? [event.by] : [])),
    ['client', 'client'],
  );
  assert.deepEqual(outcomes(events), ['a timed_out']);
  assert.ok(await turn.event(of('call_finished', 'a')));
});

test('a question about another tool carries its name, and is taken back as soon as its asker wants', async () => {
  const approvals = desk();
  const answered = new AbortController();
  const after = Promise.withResolvers<void>();
  const tool = asking(async (people) => {
    const { behavior, by } = await people.approve({ reason: 'May it write?', name: 'Write', input: { a: 1 }, signal: answered.signal });
    await after.promise;
    return `${behavior} ${by}`;
  });
  const turn = startAll([use('a', 'Asks')], engineOptions([tool], { approvals }));
  const asked = await turn.event(({ type }) => type === 'approval_requested');
  assert.deepEqual(asked.type === 'approval_requested' && [asked.approval.name, asked.approval.tool_use_id], ['Write', 'a']);
  answered.abort();
  const resolved = await turn.event(({ type }) => type === 'approval_resolved');
  assert.deepEqual(resolved, { type: 'approval_resolved', approval_id: 'apr_0', behavior: 'deny', by: 'abort' });
  after.resolve();
  assert.equal(resultText(results(await turn.events)[0]), 'deny abort');
  assert.deepEqual(approvals.withdrawn, ['apr_0 abort']);
});

test('a question that was answered elsewhere before it is put is put to nobody', async () => {
  const approvals = desk();
  const tool = asking(async (people) => (await people.approve({ reason: 'May it?', signal: AbortSignal.abort() })).behavior);
  const events = await startAll([use('a', 'Asks')], engineOptions([tool], { approvals })).events;
  assert.equal(resultText(results(events)[0]), 'deny');
  assert.ok(!events.some(({ type }) => type === 'approval_requested'));
});
