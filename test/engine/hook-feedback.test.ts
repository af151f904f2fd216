// What a model reads of hooks that stand after a call, and which calls can go on in the background.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HookOccasion, Hooks, HookVerdict } from '../../src/contract/index.ts';
import { TurnControl } from '../../src/engine/turn-control.ts';
import { engineOptions, results, resultText, runAll, use } from '../support/run-engine.ts';
import { workTool } from '../support/test-tools.ts';

async function readBehind(event: HookOccasion['event'], verdict: Partial<HookVerdict>, input: object = {}): Promise<string> {
  const hooks: Hooks = { listens: (asked) => asked === event, run: async () => ({ additionalContext: [], notes: [], ...verdict }) };
  return resultText(results(await runAll([use('a', 'Work', input)], engineOptions([workTool()], { hooks })))[0]);
}

describe('a hook after a call', () => {
  const after = [
    ['PostToolUse', {}],
    ['PostToolUseFailure', { fail: true }],
    ['PostToolBatch', {}],
  ] as const;

  test('is read when it objects, and says why', async () => {
    for (const [event, input] of after)
      assert.match(await readBehind(event, { behavior: 'deny', reason: 'Tests are red.' }, input), /Tests are red\./);
  });

  test('adds what it wants to be known', async () => {
    for (const [event, input] of after)
      assert.match(await readBehind(event, { additionalContext: ['Mind the gap.'] }, input), /Mind the gap\./);
  });

  test('adds nothing when it agrees, or objects without a word', async () => {
    for (const [event, input] of after) {
      const plain = await readBehind('PreToolUse', {}, input);
      assert.equal(await readBehind(event, { behavior: 'allow', reason: 'Fine.' }, input), plain);
      assert.equal(await readBehind(event, { behavior: 'deny' }, input), plain);
    }
  });
});

describe('a call that somebody wants in the background', () => {
  test('goes there only when it listens for that', () => {
    const control = new TurnControl();
    assert.equal(control.toBackground('a'), false);
    const signal = control.backgroundRequest('a');
    assert.equal(signal.aborted, false);
    assert.equal(control.toBackground('b'), false);
    assert.equal(control.toBackground('a'), true);
    assert.equal(signal.aborted, true);
    control.leave('a');
    assert.equal(control.toBackground('a'), false);
  });
});

describe('a turn that is stopped', () => {
  test('has one reason, and a discard counts also after an abort', () => {
    const control = new TurnControl();
    assert.equal(new TurnControl().stopped, undefined);
    control.abort('First.');
    control.abort('Second.');
    assert.deepEqual(control.stopped, { kind: 'aborted', message: 'First.' });
    control.discard('Third.');
    assert.deepEqual(control.stopped, { kind: 'discarded', message: 'Third.' });
    control.abort('Fourth.');
    assert.equal(control.stopped?.kind, 'discarded');
    assert.equal(control.stopOf('a')?.message, 'Third.');
  });

  test('by a hook keeps what the first one said', () => {
    const control = new TurnControl();
    assert.equal(new TurnControl().halted, undefined);
    control.halt('Enough.');
    control.halt('More.');
    assert.equal(control.halted, 'Enough.');
    assert.match(control.stopped?.message ?? '', /A hook ended the turn: Enough\./);
  });

  test('tells who listens for it, before or after', () => {
    const early = new TurnControl();
    const heard = early.signal;
    assert.equal(heard.aborted, false);
    early.abort('Over.');
    assert.equal(heard.aborted, true);
    const late = new TurnControl();
    late.abort('Over.');
    assert.equal(late.signal.aborted, true);
  });
});
