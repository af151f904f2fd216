import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Skill as LoadedSkill, Skills } from '../../src/contract/index.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import Skill from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

const RELEASE: LoadedSkill = {
  name: 'release',
  description: 'Makes a release.',
  source: 'operator',
  directory: '/skills/release',
  files: ['notes.md', 'scripts/run.sh'],
  body: 'Release $ARGUMENTS.',
  allowedTools: ['Bash(git tag:*)'],
};

function skills(...all: readonly LoadedSkill[]): { services: { skills: Skills } } {
  const load = (name: string): Promise<LoadedSkill> => {
    const skill = all.find((each) => each.name === name);
    return skill === undefined ? Promise.reject(new Error(`There is no skill ${name}.`)) : Promise.resolve(skill);
  };
  return { services: { skills: { list: () => all, load } } };
}

describe('a loaded skill', () => {
  test('is its text, with its folder and its files', async (t) => {
    const harness = await toolHarness(t);
    const { text, result } = await harness.call(Skill, { skill: 'release', args: '1.2' }, skills(RELEASE));
    assert.equal(
      text,
      'Skill release, written by the operator of this service.\nIts folder: /skills/release\nFiles there: notes.md, scripts/run.sh\n\nRelease 1.2.',
    );
    assert.deepEqual(result.output, {
      name: 'release',
      source: 'operator',
      directory: '/skills/release',
      files: ['notes.md', 'scripts/run.sh'],
    });
  });

  test('of a workspace is marked as such', async (t) => {
    const harness = await toolHarness(t);
    const { text } = await harness.call(Skill, { skill: 'release' }, skills({ ...RELEASE, source: 'workspace', files: [] }));
    assert.match(text, /^Skill release, found in the workspace, whose files anybody may have written.*\n.*\nFiles there: no others\n/);
  });

  test('that is not there is an error', async (t) => {
    const harness = await toolHarness(t);
    await assert.rejects(harness.call(Skill, { skill: 'other' }, skills(RELEASE)), /There is no skill other/);
  });
});

describe('the rules of a skill', () => {
  test('are granted when the operator has written it, each once', async (t) => {
    const harness = await toolHarness(t);
    const more = { ...RELEASE, name: 'more', allowedTools: ['Read', 'Bash(git tag:*)'] };
    await harness.call(Skill, { skill: 'release' }, skills(RELEASE, more));
    assert.deepEqual(harness.state.grants, ['Bash(git tag:*)']);
    const before = harness.state.grants;
    await harness.call(Skill, { skill: 'release' }, skills(RELEASE, more));
    assert.equal(harness.state.grants, before, 'nothing changes when there is nothing new');
    await harness.call(Skill, { skill: 'more' }, skills(RELEASE, more));
    assert.deepEqual(harness.state.grants, ['Bash(git tag:*)', 'Read']);
  });

  test('are never granted when it lies in the workspace', async (t) => {
    const harness = await toolHarness(t);
    const { result } = await harness.call(Skill, { skill: 'release' }, skills({ ...RELEASE, source: 'workspace' }));
    assert.equal(result.contextModifier, undefined);
    assert.equal(harness.state.grants, undefined);
  });

  test('that a session keeps are bounded', async (t) => {
    const harness = await toolHarness(t);
    for (let index = 0; index < 7; index += 1) {
      const allowedTools = Array.from({ length: 100 }, (_, rule) => `T${index}_${rule}`);
      await harness.call(Skill, { skill: 'release' }, skills({ ...RELEASE, allowedTools }));
    }
    assert.equal(harness.state.grants?.length, 500);
    assert.equal(harness.state.grants?.at(-1), 'T6_99');
  });
});

describe('the arguments of a skill', () => {
  const filled = async (t: Parameters<typeof toolHarness>[0], body: string, args?: string): Promise<string> => {
    const harness = await toolHarness(t);
    const { text } = await harness.call(Skill, { skill: 'release', ...(args !== undefined && { args }) }, skills({ ...RELEASE, body }));
    return text.split('\n').slice(4).join('\n');
  };

  test('take their places, whole or word by word, and are not filled in themselves', async (t) => {
    assert.equal(await filled(t, 'Move $1 to $2; all: $ARGUMENTS; $3.', `'a b' "c d" $1`), `Move a b to c d; all: 'a b' "c d" $1; $1.`);
    assert.equal(await filled(t, '$1 $10 $2 US$ $$1', 'x'), 'x $10  US$ $x');
    assert.equal(await filled(t, '$ARGUMENTS', '$& $` $1'), '$& $` $1');
  });

  test('stand below a text that names none', async (t) => {
    assert.equal(await filled(t, 'Do it.', 'now'), 'Do it.\n\nArguments: now');
  });

  test('that are not given leave no place, and sums of money as they are', async (t) => {
    assert.equal(await filled(t, 'Release $ARGUMENTS. It costs $5.'), 'Release . It costs $5.');
  });

  test('cannot make a text that nobody could read', async (t) => {
    await assert.rejects(filled(t, '$ARGUMENTS'.repeat(6_000), 'x'.repeat(10_000)), /make \d+ characters, too many to be read/);
    await assert.rejects(filled(t, '$1 '.repeat(6_000), 'x'.repeat(10_000)), /too many to be read/);
  });
});

describe('the description of Skill', () => {
  const described = (all: readonly LoadedSkill[]): string => Skill.description({ workspace: '/w', skills: all });

  test('lists the skills of the session', () => {
    const other = { ...RELEASE, name: 'other', source: 'workspace' as const, argumentHint: '<file>' };
    assert.ok(described([RELEASE, other]).endsWith('\n- release: Makes a release.\n- other <file> (workspace): Makes a release.'));
    assert.ok(Skill.description({ workspace: '/w' }).endsWith('\n(none)'));
  });

  test('is bounded, and each skill keeps a part of it', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ ...RELEASE, name: `skill-${index}`, description: '😀'.repeat(500) }));
    const text = described(many);
    assert.ok(text.length < 18_000, String(text.length));
    assert.ok(text.isWellFormed());
    for (const { name } of many) assert.ok(text.includes(`- ${name}: 😀`));
  });
});

test('Skill is there when the session has skills, only reads, and is judged by the name of the skill', () => {
  const enabled = (...flags: string[]) => Skill.isEnabled({ platform: 'linux', flags: new Set(flags) });
  assert.deepEqual([enabled(), enabled('skills')], [false, true]);
  assert.deepEqual(
    [Skill.isReadOnly({ skill: 'a' }), Skill.isConcurrencySafe({ skill: 'a' }), Skill.effect({ skill: 'a' })],
    [true, true, 'read'],
  );
  assert.deepEqual(Skill.permissionSubjects({ skill: 'a' }, {} as never), [{ kind: 'other', text: 'a', own: true }]);
});

toolSuite({ tool: Skill, input: { skill: 'release', args: '1.2' }, ports: () => skills(RELEASE) });
