import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  buildTool,
  PERMISSION_MODES,
  type Decision,
  type PermissionContext,
  type PermissionMode,
  type PermissionSubject,
} from '../../src/contract/index.ts';
import { modePolicy } from '../../src/permissions/mode-policy.ts';

const WORKSPACE = '/roots/workspace';
const ADDITIONAL = '/roots/additional';
const OUTPUTS = '/data/outputs';
const ROOTS = { readableRoots: [WORKSPACE, ADDITIONAL, OUTPUTS], writableRoots: [WORKSPACE, ADDITIONAL] };

interface Asked {
  readonly readOnly?: boolean;
  readonly roots?: Partial<PermissionContext>;
  readonly own?: () => { behavior: 'ask' | 'deny'; reason: string };
}

/** What the policy says of a call that touches these. */
async function decide(mode: PermissionMode, subjects: readonly PermissionSubject[], asked: Asked = {}): Promise<Decision> {
  const { readOnly = subjects.every((subject) => subject.kind === 'path' && subject.access === 'read'), roots = ROOTS, own } = asked;
  const tool = buildTool({
    name: 'Touch',
    inputSchema: z.strictObject({}),
    description: () => 'Touches things.',
    permissionSubjects: () => subjects,
    ...(own && { checkPermissions: own }),
    call: () => ({ content: '' }),
  });
  const state = { cwd: WORKSPACE, mode, todos: [], loadedTools: [] };
  const context = { sessionId: 'ses_1', workspace: WORKSPACE, env: {}, state, ...roots };
  return modePolicy.decide({ toolUseId: 'toolu_1', tool, input: {}, readOnly }, context);
}

const path = (access: 'read' | 'write', where: string): PermissionSubject => ({ kind: 'path', access, path: where });
const command: PermissionSubject = { kind: 'command', command: 'ls' };

async function behaviors(mode: PermissionMode, access: 'read' | 'write', places: readonly string[]): Promise<string[]> {
  const decisions = await Promise.all(places.map((where) => decide(mode, [path(access, where)])));
  return decisions.map(({ behavior }) => behavior);
}

describe('reading', () => {
  const inside = [`${WORKSPACE}/a`, WORKSPACE, `${WORKSPACE}/..data/a`, `${ADDITIONAL}/a`, `${OUTPUTS}/turn_1-0.txt`];
  const outside = ['/etc/passwd', '/roots', `${WORKSPACE}2/a`, `${WORKSPACE}/../other`, '/data', `${OUTPUTS}-beside`];

  test('is allowed in the workspace, in additional directories and of spilled outputs, and nowhere else', async () => {
    for (const mode of ['default', 'acceptEdits', 'plan', 'dontAsk'] as const) {
      assert.deepEqual(
        await behaviors(mode, 'read', inside),
        inside.map(() => 'allow'),
        mode,
      );
      assert.deepEqual(
        await behaviors(mode, 'read', outside),
        outside.map(() => 'deny'),
        mode,
      );
    }
  });

  test('is bound to the workspace when nothing else is said of the session', async () => {
    const asked = { roots: {} };
    assert.equal((await decide('default', [path('read', `${WORKSPACE}/a`)], asked)).behavior, 'allow');
    assert.equal((await decide('default', [path('read', `${OUTPUTS}/a`)], asked)).behavior, 'deny');
    assert.equal((await decide('acceptEdits', [path('write', `${ADDITIONAL}/a`)], asked)).behavior, 'deny');
  });

  test('is not believed of a tool that may also change something', async () => {
    const asked = { readOnly: false };
    assert.equal((await decide('default', [path('read', `${WORKSPACE}/a`)], asked)).behavior, 'deny');
    assert.equal((await decide('acceptEdits', [path('read', `${WORKSPACE}/a`)], asked)).behavior, 'allow');
  });
});

describe('writing', () => {
  test('is allowed by acceptEdits in the workspace and additional directories, and never to outputs', async () => {
    const places = [`${WORKSPACE}/a`, `${WORKSPACE}/..data`, `${ADDITIONAL}/a`, `${OUTPUTS}/a`, '/etc/passwd', `${ADDITIONAL}2`];
    assert.deepEqual(await behaviors('acceptEdits', 'write', places), ['allow', 'allow', 'allow', 'deny', 'deny', 'deny']);
  });

  test('is denied by default, plan and dontAsk wherever it is', async () => {
    for (const mode of ['default', 'plan', 'dontAsk'] as const) {
      assert.deepEqual(await behaviors(mode, 'write', [`${WORKSPACE}/a`, '/etc/passwd']), ['deny', 'deny'], mode);
    }
  });
});

describe('a call', () => {
  test('that touches several things is allowed only when each of them is', async () => {
    const [first, second] = [path('read', `${WORKSPACE}/a`), path('read', '/etc/passwd')];
    assert.equal((await decide('default', [first, first])).behavior, 'allow');
    assert.match((await decide('default', [first, second])).reason ?? '', /does not read \/etc\/passwd/);
    assert.equal((await decide('acceptEdits', [first, command])).behavior, 'deny');
  });

  test('that does not say what it touches, or touches anything but files, is denied unless everything is allowed', async () => {
    for (const subjects of [[], [{ kind: 'other' }], [command], [{ kind: 'url', url: 'https://example.com/' }]] as const) {
      for (const mode of PERMISSION_MODES) {
        const expected = mode === 'bypassPermissions' ? 'allow' : 'deny';
        assert.equal((await decide(mode, subjects, { readOnly: true })).behavior, expected, mode);
      }
    }
  });

  test('is denied when its own tool denies it, or would have to ask, in every mode', async () => {
    for (const mode of PERMISSION_MODES) {
      const denied = await decide(mode, [], { own: () => ({ behavior: 'deny', reason: 'Never that.' }) });
      assert.deepEqual(denied, { behavior: 'deny', decided_by: 'tool', reason: 'Never that.' });
      const asked = await decide(mode, [], { own: () => ({ behavior: 'ask', reason: 'Is it wanted?' }) });
      assert.equal(asked.behavior, 'deny');
      assert.match(asked.reason ?? '', /^Is it wanted\? Nobody can be asked here/);
    }
  });

  test('in mode auto is denied whatever it is, since nothing is there to judge it', async () => {
    for (const subjects of [[path('read', WORKSPACE)], [path('write', WORKSPACE)], [command]]) {
      const decision = await decide('auto', subjects);
      assert.deepEqual([decision.behavior, decision.decided_by], ['deny', 'mode auto']);
      assert.match(decision.reason ?? '', /no classifier/);
    }
  });
});

test('a denial tells the model which mode it is and what it can do, and never to change the mode', async () => {
  const subjects = [path('read', '/etc/passwd'), path('write', '/etc/passwd'), command, { kind: 'other' } as const];
  for (const mode of PERMISSION_MODES.filter((each) => each !== 'bypassPermissions')) {
    for (const subject of subjects) {
      const { reason = '' } = await decide(mode, [subject]);
      assert.ok(reason.startsWith(`This session (mode ${mode}) `), reason);
      assert.match(reason, /tell the user/);
      assert.doesNotMatch(reason.replace(`(mode ${mode})`, ''), new RegExp(PERMISSION_MODES.join('|')));
    }
  }
});
