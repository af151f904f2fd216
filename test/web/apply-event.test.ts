import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applyEvent } from '../../web/src/model/apply-event.ts';
import { lookOf } from '../../web/src/model/outcomes.ts';
import { emptyModel, type Call, type SessionModel } from '../../web/src/model/session-model.ts';
import { stateOf } from '../../web/src/model/session-state.ts';
import type { ConsoleEvent } from '../../web/src/model/wire.ts';
import { begun, completed, finished, logOf, queued, result, started, type Told } from './events.ts';

function fold(told: readonly Told[], model = emptyModel()): SessionModel {
  for (const event of logOf(told)) applyEvent(model, event);
  return model;
}

function only(model: SessionModel): Call {
  const [call] = [...model.calls.values()];
  assert.ok(call);
  return call;
}

describe('the console follows a call', () => {
  test('from its place in the queue to its result, with the time of each step', () => {
    const call = only(fold([begun, queued('a'), started('a'), finished('a'), result('a')]));
    assert.deepEqual(
      [call.startedAt, call.finishedAt, call.releasedAt].map((at) => (at ?? 0) - call.queuedAt),
      [1_000, 2_000, 3_000],
    );
    assert.equal(call.outcome, 'ok');
    assert.equal(call.content, 'done a');
    assert.equal(call.view?.title, 'Work a');
  });

  test('as one that waits while a person is asked, and no longer than that', () => {
    const approval = { id: 'apr_1', tool_use_id: 'a', name: 'Work', input: {}, reason: 'why', suggestions: [], expires_at: '' };
    const model = fold([begun, queued('a'), { type: 'approval_requested', approval }]);
    assert.equal(lookOf(only(model)).word, 'waits for approval');
    assert.deepEqual([...model.approvals.keys()], ['apr_1']);
    const told: Told = { type: 'approval_resolved', approval_id: 'apr_1', behavior: 'allow', by: 'client' };
    const answered = fold([begun, queued('a'), { type: 'approval_requested', approval }, told, started('a')]);
    assert.equal(answered.approvals.size, 0);
    assert.equal(lookOf(only(answered)).tone, 'running');
    const [wait] = only(answered).waits;
    assert.equal((wait?.to ?? 0) - (wait?.from ?? 0), 1_000);
  });

  test('that lies with the client until it has been answered', () => {
    const asked: Told = { type: 'client_call', tool_use_id: 'a', name: 'Work', input: {} };
    assert.equal(fold([begun, queued('a'), started('a'), asked]).clientCalls.size, 1);
    assert.equal(fold([begun, queued('a'), started('a'), asked, finished('a')]).clientCalls.size, 0);
  });

  test('that never started with who denied it', () => {
    const decision = { behavior: 'deny', decided_by: 'rule', rule: 'Bash(rm:*)' };
    const call = only(fold([begun, queued('a'), finished('a', { outcome: 'denied', decision })]));
    assert.equal(call.startedAt, undefined);
    assert.equal(call.decision?.rule, 'Bash(rm:*)');
    assert.equal(lookOf(call).word, 'denied');
  });

  test('by turn and id, since models may give the same id again', () => {
    const model = fold([
      begun,
      queued('a'),
      { ...begun, of: 'turn_2' },
      { ...queued('a'), of: 'turn_2' },
      { ...started('a'), of: 'turn_2' },
    ]);
    assert.deepEqual(
      [...model.calls].map(([key, call]) => [key, call.startedAt !== undefined]),
      [
        ['turn_1/a', false],
        ['turn_2/a', true],
      ],
    );
  });

  test('whose outcome was settled later, without making it any longer', () => {
    const unknown = finished('a', { outcome: 'outcome_unknown' });
    const model = fold([
      begun,
      queued('a'),
      started('a'),
      unknown,
      completed([{ tool_use_id: 'a', outcome: 'outcome_unknown' }]),
      finished('a', { resolved: 'ok' }),
    ]);
    const call = only(model);
    assert.equal(call.resolved, 'ok');
    assert.equal(call.outcome, 'ok');
    assert.equal((call.finishedAt ?? 0) - (call.startedAt ?? 0), 1_000);
  });
});

describe('the console', () => {
  test('takes an event that comes twice once', () => {
    const told = [begun, queued('a'), started('a')];
    const model = fold(told);
    const before = structuredClone(model.log);
    fold(told, model);
    assert.deepEqual(model.log, before);
    assert.equal(model.turns[0]?.calls.length, 1);
  });

  test('shows a turn whose beginning it has not seen', () => {
    const model = fold([queued('a', { index: 4 }), started('a')]);
    assert.equal(model.turns.length, 1);
    assert.equal(only(model).index, 4);
  });

  test('ends every call with its turn', () => {
    const model = fold([
      begun,
      queued('a'),
      queued('b'),
      started('a'),
      completed([
        { tool_use_id: 'a', outcome: 'aborted' },
        { tool_use_id: 'b', outcome: 'aborted' },
      ]),
    ]);
    assert.deepEqual(
      [...model.calls.values()].map((call) => [call.outcome, call.finishedAt !== undefined]),
      [
        ['aborted', true],
        ['aborted', true],
      ],
    );
    assert.equal(model.turns[0]?.status, 'completed');
  });

  test('keeps the newest output of a call that writes without end', () => {
    const model = fold([begun, queued('a'), started('a')]);
    for (let part = 0; part < 50; part++) {
      const progress = {
        type: 'progress',
        tool_use_id: 'a',
        turn_id: 'turn_1',
        data: { kind: 'output', text: `${part} `.padEnd(10_000, 'x') },
      };
      applyEvent(model, progress as unknown as ConsoleEvent);
    }
    const { output } = only(model);
    assert.ok(output.length < 100_000);
    assert.ok(output.includes('49 '));
  });

  test('keeps no more than the newest events, and counts those it has let go', () => {
    const model = emptyModel();
    for (let seq = 1; seq <= 30_000; seq++) {
      const event = { type: 'context_changed', seq, time: '2026-01-01T00:00:00.000Z', session_id: 's', changes: {} };
      applyEvent(model, event as unknown as ConsoleEvent);
    }
    assert.ok(model.log.length <= 22_000);
    assert.equal(model.log.length + model.missing, 30_000);
    assert.equal(model.log.at(-1)?.seq, 30_000);
  });

  test('waits for people first of all, and else runs as long as a turn is open', () => {
    const approval = { id: 'apr_1', tool_use_id: 'a', name: 'Work', input: {}, reason: 'why', suggestions: [], expires_at: '' };
    const told: Told[] = [begun, queued('a'), { type: 'approval_requested', approval }];
    assert.equal(stateOf(fold(told)), 'waits for you');
    told.push({ type: 'approval_resolved', approval_id: 'apr_1', behavior: 'allow', by: 'a person' });
    assert.equal(stateOf(fold(told)), 'running');
    told.push(completed([]));
    assert.equal(stateOf(fold(told)), 'idle');
  });

  test('takes what waits from the first frame of a connection, whatever was answered meanwhile', () => {
    const approval = { id: 'apr_1', tool_use_id: 'a', name: 'Work', input: {}, reason: 'why', suggestions: [], expires_at: '' };
    const model = fold([begun, queued('a'), { type: 'approval_requested', approval }]);
    const session = {
      id: 'ses_1',
      metadata: { name: 'Mine' },
      permissions: { mode: 'plan' },
      cwd: '/w',
      todos: [{ content: 'x', status: 'pending' }],
      last_seq: 3,
    };
    applyEvent(model, { type: 'session', session, approvals: [] } as unknown as ConsoleEvent);
    assert.equal(model.approvals.size, 0);
    assert.equal(model.mode, 'plan');
    assert.equal(model.name, 'Mine');
    assert.equal(model.todos.length, 1);
  });
});
