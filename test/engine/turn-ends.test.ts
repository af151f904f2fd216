// How a turn ends that does not simply come to its end: its calls stop coming, it is discarded, or a result cannot be read.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { buildTool, type ApprovalAnswer, type Approvals, type Policy, type Tool } from '../../src/contract/index.ts';
import { TurnControl } from '../../src/engine/turn-control.ts';
import { engineOptions, of, outcomes, results, resultText, runAll, startAll, use } from '../support/run-engine.ts';
import { careful, workTool } from '../support/test-tools.ts';

function desk(): Approvals & { readonly withdrawn: string[] } {
  const withdrawn: string[] = [];
  const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
  return {
    withdrawn,
    ask: ({ toolUseId: tool_use_id, name, input, reason }) => ({
      summary: { id: 'apr_0', tool_use_id, name, input, reason, suggestions: [], expires_at: '' },
      answer: promise,
      told: false,
    }),
    withdraw(id, by) {
      withdrawn.push(`${id} ${by}`);
      resolve({ behavior: 'deny', by });
    },
  };
}

const asks: Policy = { decide: () => ({ behavior: 'ask', decided_by: 'rule', reason: 'Look.' }) };

describe('a turn whose calls break off', () => {
  test('ends with that error, after what had come was stopped and has its result', async () => {
    async function* calls() {
      yield use('a', 'Work', { ms: 60_000 });
      throw new Error('The stream broke.');
    }
    const turn = startAll(calls(), engineOptions([workTool()]));
    const event = await turn.event(of('call_finished', 'a'));
    await assert.rejects(turn.events, /The stream broke\./);
    assert.equal(event.type === 'call_finished' && event.outcome, 'aborted');
  });
});

describe('an open question', () => {
  test('is taken back with the turn, and said to be discarded when the turn is', async () => {
    for (const [stop, by] of [
      ['discard', 'discard'],
      ['abort', 'abort'],
    ] as const) {
      const approvals = desk();
      const control = new TurnControl();
      const turn = startAll([use('a', 'Careful')], engineOptions([careful], { approvals, control, policy: asks }));
      await turn.event(({ type }) => type === 'approval_requested');
      control[stop]('It is over.');
      await turn.events;
      assert.deepEqual(approvals.withdrawn, [`apr_0 ${by}`]);
    }
  });
});

describe('a call that is denied', () => {
  test('tells who decided, and one that ran does so when it starts', async () => {
    const denies: Policy = { decide: () => ({ behavior: 'deny', decided_by: 'rule', rule: 'Work', reason: 'Not here.' }) };
    const events = await runAll([use('a', 'Work')], engineOptions([workTool()], { policy: denies }));
    const finished = events.find(of('call_finished', 'a'));
    assert.deepEqual(finished?.type === 'call_finished' && finished.decision, {
      behavior: 'deny',
      decided_by: 'rule',
      rule: 'Work',
      reason: 'Not here.',
    });
    const allowed = await runAll([use('a', 'Work')], engineOptions([workTool()]));
    const started = allowed.find(of('call_started', 'a'));
    assert.deepEqual(started?.type === 'call_started' && started.decision, { behavior: 'allow', decided_by: 'test' });
    assert.equal('decision' in (allowed.find(of('call_finished', 'a')) ?? {}), false);
  });
});

describe('a call that would be asked about where nobody can be asked', () => {
  test('is denied with the reason of the question, or a plain one', async () => {
    const said = async (policy: Policy): Promise<string> =>
      resultText(results(await runAll([use('a', 'Work')], engineOptions([workTool()], { policy })))[0]);
    assert.match(await said(asks), /was denied: Look\. Nobody can be asked here: do without it, or tell the user\./);
    const silent: Policy = { decide: () => ({ behavior: 'ask', decided_by: 'rule' }) };
    assert.match(await said(silent), /was denied: it needs an approval\. Nobody can be asked here/);
  });
});

describe('a view that a tool draws', () => {
  test('is shown as it is, and replaced when it cannot travel as JSON', async () => {
    const shown = async (view: unknown): Promise<unknown> => {
      const tool = { ...workTool(), renderUse: () => view } as unknown as Tool;
      const started = (await runAll([use('a', 'Work')], engineOptions([tool]))).find(of('call_started', 'a'));
      return started?.type === 'call_started' && started.view;
    };
    for (const view of [{ title: 'T' }, { title: 'T', subtitle: 'S' }]) assert.deepEqual(await shown(view), view);
    const replaced = { title: 'Work', subtitle: 'its view could not be drawn' };
    for (const view of [{ title: 5n }, { title: 'T', subtitle: 5n }, { title: 'T', body: 5n }])
      assert.deepEqual(await shown(view), replaced);
    assert.deepEqual(await shown(null), { title: 'Work' });
  });
});

describe('a result that cannot be read', () => {
  test('costs its own call alone', async () => {
    const strange = buildTool({
      name: 'Strange',
      description: () => 'Gives what cannot be read.',
      inputSchema: z.strictObject({}),
      isConcurrencySafe: () => true,
      call: () => ({
        get content(): string {
          throw new Error('It is gone.');
        },
      }),
    }) as Tool;
    const events = await runAll([use('a', 'Strange'), use('b', 'Work')], engineOptions([strange, workTool()]));
    assert.deepEqual(outcomes(events), ['a tool_error', 'b ok']);
    assert.match(resultText(results(events)[0]), /It is gone\./);
  });
});
