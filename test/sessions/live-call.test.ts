import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApprovalSummary, View } from '../../src/contract/index.ts';
import { liveApprovals, liveTurns } from '../../src/sessions/turn/live-call.ts';
import { shortCopy } from '../../src/sessions/log/short-copy.ts';
import { applyEvent, newTurnRecord, type TurnRecord } from '../../src/sessions/turn/turn-record.ts';

function turnWith(inputs: readonly unknown[], view?: View): TurnRecord {
  const record = newTurnRecord({ id: 'turn_1', ordinal: 1, format: 'anthropic' });
  for (const [index, input] of inputs.entries()) {
    const call = { tool_use_id: `c${index}`, name: 'Write', batch: index, concurrent: false, input };
    applyEvent(record, { type: 'call_queued', index, ...call });
    if (view === undefined) continue;
    applyEvent(record, { type: 'call_started', ...call, view, effect: 'once', decision: { behavior: 'allow', decided_by: 'mode' } });
  }
  return record;
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;
const large = { file_path: '/w/a.txt', content: 'x'.repeat(9_500_000), after: 'kept' };

describe('what a new reader is told of an open turn', () => {
  test('shows small inputs and views just as they are', () => {
    const input = { command: 'ls', nested: { list: [1, null, true, 'ä\n'] } };
    const view: View = { title: 'Bash', body: { kind: 'terminal', text: 'ls' } };
    const [turn] = liveTurns([turnWith([input], view)]);
    assert.deepEqual(turn?.calls[0]?.input, input);
    assert.equal(turn.calls[0].input_shortened, undefined);
    assert.deepEqual(turn.calls[0].view, view);
    assert.equal(turn.calls[0].state, 'executing');
  });

  test('draws a call that has not started by its name', () => {
    const [turn] = liveTurns([turnWith([{}])]);
    assert.deepEqual([turn?.calls[0]?.state, turn?.calls[0]?.view], ['queued', { title: 'Write' }]);
  });

  test('shows a large input as a copy that says where it is cut, and marks it as one', () => {
    const [turn] = liveTurns([turnWith([large])]);
    const call = turn?.calls[0];
    assert.equal(call?.input_shortened, true);
    const { file_path, content, after } = call.input as typeof large;
    assert.deepEqual([file_path, after], ['/w/a.txt', 'kept']);
    assert.match(content, /^x{500}… \(9500000 characters\)$/);
  });

  test('stays small however large, many or deep the inputs of its turns are', () => {
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`key${n}`, n]));
    const list = { list: Array.from({ length: 100_000 }, (_, n) => n) };
    const deep: unknown = JSON.parse(`${'{"a":['.repeat(200)}"${'x'.repeat(30_000)}"${']}'.repeat(200)}`);
    const controls = { text: '\u0000'.repeat(20_000) };
    for (const input of [wide, list, deep, controls, { ['k'.repeat(1_000_000)]: 1 }, 'x'.repeat(1_000_000)]) {
      const shown = liveTurns([turnWith([input])]);
      assert.equal(shown[0]?.calls[0]?.input_shortened, true);
      assert.ok(sizeOf(shown) < 30_000, `${sizeOf(shown)}`);
    }
    const many = Array.from({ length: 17 }, () => turnWith(Array.from({ length: 60 }, () => ({ content: 'x'.repeat(20_000) }))));
    assert.ok(sizeOf(liveTurns(many)) < 1_000_000, `${sizeOf(liveTurns(many))}`);
  });

  test('is not looked at further than it is shown', () => {
    let looked = 0;
    const items = new Proxy(
      Array.from({ length: 100_000 }, (_, n) => n),
      {
        get(target, key) {
          looked += 1;
          return Reflect.get(target, key) as unknown;
        },
      },
    );
    assert.equal(liveTurns([turnWith([{ items }])])[0]?.calls[0]?.input_shortened, true);
    assert.ok(looked < 50_000, `looked ${looked} times`);
  });

  test('keeps the title of a view whose body is too large', () => {
    const view: View = { title: 'Write a.txt', subtitle: 'new', body: { kind: 'text', text: 'x'.repeat(100_000) } };
    const [turn] = liveTurns([turnWith([{}], view)]);
    assert.deepEqual(turn?.calls[0]?.view, { title: 'Write a.txt', subtitle: 'new' });
  });

  test('shows the approvals that wait in the same way', () => {
    const base = { id: 'apr_1', tool_use_id: 'c0', name: 'Write', reason: 'asks', suggestions: [], expires_at: '2026-01-01T00:00:00.000Z' };
    const approvals: ApprovalSummary[] = [
      { ...base, input: large },
      { ...base, input: { a: 1 } },
    ];
    const [shortened, whole] = liveApprovals(approvals);
    assert.equal(shortened?.input_shortened, true);
    assert.ok(sizeOf(shortened) < 3_000);
    assert.deepEqual(whole, approvals[1]);
    assert.equal(large.content.length, 9_500_000);
  });
});

describe('a short copy', () => {
  test('never splits a character, and counts what it holds as JSON counts it', () => {
    const { value, chars } = shortCopy({ text: `${'x'.repeat(499)}😀${'y'.repeat(1_000)}` }, 1_000);
    assert.ok((value as { text: string }).text.isWellFormed());
    assert.equal(chars, sizeOf(value));
    const small = { 'a"b': ['\n', 1.5, false, null, {}, []] };
    const copy = shortCopy(small, 100);
    assert.equal(copy.value, small);
    assert.equal(copy.chars, sizeOf(small));
  });

  test('keeps a key named __proto__ a key', () => {
    const value: unknown = JSON.parse(`{"__proto__": {"x": 1}, "text": "${'x'.repeat(5_000)}"}`);
    const copy = shortCopy(value, 1_000).value as object;
    assert.deepEqual(Object.keys(copy), ['__proto__', 'text']);
    assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  });
});
