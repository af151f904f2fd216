// What a hook's exit code and output mean, at every event, with real scripts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOOK_EVENTS, type HookEvent, type HookVerdict } from '../../src/contract/index.ts';
import { benchOf, commands, decides, occasionOf, prints } from './hooks-harness.ts';

const OUTPUTS = ['silent', 'text', 'no', 'yes', 'broken', 'context', 'halt'] as const;
type Output = (typeof OUTPUTS)[number];

function outputOf(event: HookEvent, kind: Output): unknown {
  const specific = (fields: object): object => ({ hookSpecificOutput: { hookEventName: event, ...fields } });
  const decision = (yes: boolean): object => {
    if (event === 'PreToolUse') return specific({ permissionDecision: yes ? 'allow' : 'deny' });
    if (event === 'PermissionRequest') return specific({ decision: { behavior: yes ? 'allow' : 'deny' } });
    return { decision: yes ? 'approve' : 'block', reason: 'no' };
  };
  const outputs: Record<Output, unknown> = {
    silent: '',
    text: 'a word',
    no: decision(false),
    yes: decision(true),
    broken: '{"decision": "blo',
    context: specific({ additionalContext: 'know this' }),
    halt: { continue: false, stopReason: 'enough' },
  };
  return outputs[kind];
}

/** The verdict in words, so that a whole table of them can be read. */
function inWords({ behavior, stop, additionalContext, notes }: HookVerdict): string {
  const words = [behavior, additionalContext.length > 0 && 'context', stop && 'stop', notes.length > 0 && 'note'];
  return words.filter(Boolean).join(' ');
}

const GATE = {
  //   silent       text         no      yes      broken       context         halt
  0: ['', '', 'deny', 'allow', 'deny note', 'context', 'stop'],
  1: ['note', 'note', 'deny', 'allow', 'note', 'context', 'stop'],
  2: ['deny', 'deny', 'deny', 'deny', 'deny', 'deny context', 'deny stop'],
  127: ['deny note', 'deny note', 'deny', 'allow', 'deny note', 'context', 'stop'],
};
const FEEDBACK = {
  0: ['', '', 'deny', '', 'note', 'context', 'stop'],
  1: ['note', 'note', 'deny', '', 'note', 'context', 'stop'],
  2: ['deny', 'deny', 'deny', 'deny', 'deny', 'deny context', 'deny stop'],
  127: ['note', 'note', 'deny', '', 'note', 'context', 'stop'],
};
const BATCH = {
  0: ['', '', 'deny stop', '', 'note', 'context', 'stop'],
  1: ['note', 'note', 'deny stop', '', 'note', 'context', 'stop'],
  2: ['deny stop', 'deny stop', 'deny stop', 'deny stop', 'deny stop', 'deny context stop', 'deny stop'],
  127: ['note', 'note', 'deny stop', '', 'note', 'context', 'stop'],
};
const LISTENER = {
  0: ['', '', 'note', '', 'note', 'context', 'stop'],
  1: ['note', 'note', 'note', '', 'note', 'context', 'stop'],
  2: ['note', 'note', 'note', 'note', 'note', 'context note', 'stop note'],
  127: ['note', 'note', 'note', '', 'note', 'context', 'stop'],
};
const START = { ...LISTENER, 0: ['', 'context', 'note', '', 'note', 'context', 'stop'] };
const TABLE: Record<HookEvent, Record<number, readonly string[]>> = {
  PreToolUse: GATE,
  PermissionRequest: GATE,
  PostToolUse: FEEDBACK,
  PostToolUseFailure: FEEDBACK,
  PostToolBatch: BATCH,
  PermissionDenied: LISTENER,
  SessionStart: START,
  SessionEnd: LISTENER,
};

describe('exit code and output of a hook', () => {
  for (const event of HOOK_EVENTS) {
    test(`mean at ${event} what the public protocol says, and what is no answer never lets a call through`, async () => {
      const found: Record<number, readonly string[]> = {};
      for (const code of [0, 1, 2, 127]) {
        found[code] = await Promise.all(
          OUTPUTS.map(async (kind) => {
            const script = prints(outputOf(event, kind), `echo because >&2; exit ${code}`);
            return inWords(await benchOf({ operator: commands(event, script) }).run(occasionOf(event)));
          }),
        );
      }
      assert.deepEqual(found, TABLE[event]);
    });
  }
});

async function before(script: string): Promise<HookVerdict> {
  return benchOf({ operator: commands('PreToolUse', script) }).run(occasionOf('PreToolUse'));
}

describe('the answer of a hook', () => {
  test('that exits with 2 gives the model its stderr, and JSON cannot take the no back', async () => {
    const verdict = await before(
      decides('allow', { updatedInput: { text: 'x' }, permissionDecisionReason: 'fine' }) + 'echo never here >&2; exit 2',
    );
    assert.deepEqual(verdict, { behavior: 'deny', reason: 'never here', additionalContext: [], notes: [] });
  });

  test('that says no without a word still gives a reason', async () => {
    assert.match(
      (await before(decides('allow', { permissionDecisionReason: 'fine' }) + 'exit 2')).reason ?? '',
      /a hook does not allow it/,
    );
  });

  test('may ask, and may change the input, whatever else it prints', async () => {
    const verdict = await before(decides('ask', { permissionDecisionReason: 'sure?', updatedInput: { text: 'x' }, unheardOf: { a: 1 } }));
    assert.deepEqual(verdict, { behavior: 'ask', reason: 'sure?', updatedInput: { text: 'x' }, additionalContext: [], notes: [] });
  });

  test('in the older words is understood', async () => {
    assert.equal((await before(prints({ decision: 'approve' }))).behavior, 'allow');
    assert.deepEqual((await before(prints({ decision: 'block', reason: 'old no' }))).reason, 'old no');
  });

  test('that puts the decision off becomes a question', async () => {
    assert.equal((await before(decides('defer'))).behavior, 'ask');
  });

  for (const [what, output] of [
    ['a decision that does not exist', { hookSpecificOutput: { permissionDecision: 'denied' } }],
    ['a wrong type', { hookSpecificOutput: 'deny' }],
    ['another event', { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'allow' } }],
  ] as const) {
    test(`with ${what} blocks rather than being passed over`, async () => {
      const verdict = await before(prints(output));
      assert.equal(verdict.behavior, 'deny');
      assert.match(verdict.reason ?? '', /gave an answer that cannot be read/);
    });
  }

  test('to a question of permission brings input, message and an end of the turn', async () => {
    const answer = (decision: unknown): Promise<HookVerdict> =>
      benchOf({ operator: commands('PermissionRequest', prints({ hookSpecificOutput: { decision } })) }).run(
        occasionOf('PermissionRequest'),
      );
    const allowed = await answer({ behavior: 'allow', updatedInput: { text: 'y' }, updatedPermissions: [{ type: 'setMode' }] });
    assert.deepEqual([allowed.behavior, allowed.updatedInput, allowed.notes.length], ['allow', { text: 'y' }, 1]);
    const denied = await answer({ behavior: 'deny', message: 'not today', interrupt: true });
    assert.deepEqual([denied.behavior, denied.reason, denied.stop], ['deny', 'not today', { reason: 'not today' }]);
  });

  test('after a call can replace what the model reads', async () => {
    const replaced = async (updatedToolOutput: unknown) => {
      const script = prints({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } });
      return (await benchOf({ operator: commands('PostToolUse', script) }).run(occasionOf('PostToolUse'))).updatedOutput;
    };
    assert.equal(await replaced('short'), 'short');
    assert.deepEqual(await replaced([{ type: 'text', text: 'a' }]), [{ type: 'text', text: 'a' }]);
    assert.equal(await replaced({ said: 1 }), '{"said":1}');
  });

  test('after a denial can let the model try again', async () => {
    const script = prints({ hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true } });
    const { additionalContext } = await benchOf({ operator: commands('PermissionDenied', script) }).run(occasionOf('PermissionDenied'));
    assert.match(additionalContext.join(), /may be tried again/);
  });

  test('is cut where one text is longer than a model should read', async () => {
    const { reason = '' } = await before('head -c 30000 /dev/zero | tr "\\0" x >&2; exit 2');
    assert.equal(reason.length, 10_000);
  });

  test('of another exit code blocks where the settings say that failures do', async () => {
    const hook = { type: 'command', command: 'exit 1', onFailure: 'block' };
    const verdict = await benchOf({ operator: { PreToolUse: [{ hooks: [hook] }] } }).run(occasionOf('PreToolUse'));
    assert.equal(verdict.behavior, 'deny');
  });
});
