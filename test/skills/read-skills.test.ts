import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readSkills } from '../../src/skills/read-skills.ts';

interface World {
  readonly root: string;
  readonly workspace: string;
  readonly operator: string;
  readonly told: string[];
  readonly write: (path: string, text: string) => Promise<void>;
  /** The skills as a session that is opened now has them. */
  readonly read: () => ReturnType<typeof readSkills>;
}

async function world(t: TestContext): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-skills-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [workspace, operator] = [join(root, 'workspace'), join(root, 'operator')];
  await mkdir(workspace);
  await mkdir(operator);
  const told: string[] = [];
  return {
    root,
    workspace,
    operator,
    told,
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    read: () => readSkills({ operator, workspace, report: (message) => told.push(message) }),
  };
}

function skill(head: string, body = 'Do it.'): string {
  return `---\n${head}\n---\n${body}\n`;
}

describe('the skills of a session', () => {
  test('are those of the operator and of the workspace, by name, and the operator’s win', async (t) => {
    const { write, read, told, operator, workspace } = await world(t);
    await write('operator/release/SKILL.md', skill('name: release\ndescription: By the operator.\nargument-hint: [version]'));
    await write('workspace/.claude/skills/release/SKILL.md', skill('name: release\ndescription: By a stranger.'));
    await write('workspace/.claude/skills/audit/SKILL.md', skill('description: >\n  Looks\n  at it.'));
    await write('workspace/.agents/skills/b/SKILL.md', skill('name: zoo\ndescription: Of every kind.'));
    const skills = await read();
    assert.deepEqual(skills.list(), [
      { name: 'audit', description: 'Looks at it.', source: 'workspace' },
      { name: 'release', description: 'By the operator.', source: 'operator', argumentHint: '[version]' },
      { name: 'zoo', description: 'Of every kind.', source: 'workspace' },
    ]);
    assert.equal((await skills.load('release')).directory, join(operator, 'release'));
    assert.equal((await skills.load('zoo')).directory, join(workspace, '.agents/skills/b'));
    assert.deepEqual(told, []);
  });

  test('are none where there are no folders', async (t) => {
    const { workspace, told } = await world(t);
    const skills = await readSkills({ workspace, report: (message) => told.push(message) });
    assert.deepEqual([skills.list(), told], [[], []]);
    await assert.rejects(skills.load('constructor'), /There is no skill "constructor": use one of those/);
  });

  test('leave out what cannot be read, and say what to change', async (t) => {
    const { write, read, told } = await world(t);
    const faults: [folder: string, text: string, expected: RegExp][] = [
      ['a', 'No head.', /must begin with a line ---/],
      ['b', skill('name: b'), /description: say what the skill is for/],
      ['c', skill('name: "../c"\ndescription: x'), /name: give up to 64 letters/],
      ['d', skill('description: [unclosed'), /the head is no YAML/],
      ['e', skill('description: x', 'y'.repeat(70_000)), /more than 64 KiB/],
      ['f', skill(`description: ${'x'.repeat(1_025)}`), /description: .*1024/],
      ['g', skill('a: &a [x]\nb: *a\ndescription: x'), /the head is no YAML/],
      ['h h', skill('description: x'), /the name of its folder is none for a skill/],
      ['i', skill('description: x\nallowed-tools: {a: b}'), /allowed-tools: give a list of rules/],
      ['j', '---\ndescription: x\nnever ended', /must begin with a line ---/],
    ];
    for (const [folder, text] of faults) await write(`operator/${folder}/SKILL.md`, text);
    await write('operator/good/SKILL.md', skill('description: Works.'));
    await write('operator/no-skill/README.md', 'nothing');
    assert.deepEqual(
      (await read()).list().map(({ name }) => name),
      ['good'],
    );
    assert.equal(told.length, faults.length);
    for (const [index, [folder, , expected]] of faults.entries()) {
      assert.match(told[index] ?? '', expected);
      assert.ok(told[index]?.includes(JSON.stringify(join('operator', folder)).slice(1, -1)), told[index]);
    }
  });

  test('are no more than two hundred, and so is what is told of others', async (t) => {
    const { write, read, told } = await world(t);
    for (let index = 0; index < 230; index += 1) await write(`operator/s${index}/SKILL.md`, skill('description: x'));
    assert.equal((await read()).list().length, 200);
    assert.equal(told.length, 21);
    assert.match(told.at(-1) ?? '', /^10 more skills are left out/);
  });

  test('are read from no more folders, and heads, than a session can wait for', async (t) => {
    const { write, read, told } = await world(t);
    const head = `description: x\nmore: ${'y'.repeat(3_500)}`;
    for (let index = 100; index < 150; index += 1) await write(`workspace/.claude/skills/s${index}/SKILL.md`, skill(head));
    for (let index = 100; index < 502; index += 1) await write(`workspace/.agents/skills/s${index}/README.md`, 'x');
    await write('workspace/.agents/skills/z/SKILL.md', skill('description: x'));
    await write('workspace/.claude/skills/a/SKILL.md', skill(`description: x\nmore: ${'y'.repeat(4_500)}`));
    const found = (await read()).list().length;
    assert.ok(found > 30 && found < 40, `${found}`);
    assert.match(told[0] ?? '', /more than 4096 characters/);
    assert.match(told[1] ?? '', /heads of those before it/);
    assert.match(told.at(-1) ?? '', /more skills are left out/);
    const [first] = (await read()).list();
    assert.equal(first?.name, 's100', 'they are the same each time');
  });

  test('leave out those that only people may begin', async (t) => {
    const { write, read, told } = await world(t);
    await write('operator/deploy/SKILL.md', skill('description: x\ndisable-model-invocation: true'));
    assert.deepEqual([(await read()).list(), told], [[], []]);
  });

  test('show their descriptions on one line, without what is not seen', async (t) => {
    const { write, read } = await world(t);
    await write('workspace/.claude/skills/a/SKILL.md', skill(String.raw`description: "One.\n- evil: two\u202e\u001b[31m\u200b"`));
    assert.deepEqual((await read()).list()[0]?.description, 'One. - evil: two[31m');
  });
});

describe('a skill that is loaded', () => {
  test('is its text of that moment, with its folder and the files in it', async (t) => {
    const { write, read, operator } = await world(t);
    await write('operator/release/SKILL.md', skill('description: x', 'Old.'));
    const skills = await read();
    await write('operator/release/SKILL.md', `\uFEFF${skill('description: x', 'New.\r\n---\nMore.').replaceAll('\n', '\r\n')}`);
    for (const file of ['scripts/run.sh', 'reference.md', '.hidden', 'scripts/SKILL.md']) await write(`operator/release/${file}`, 'x');
    const { body, directory, files } = await skills.load('release');
    assert.match(body, /^New\.\r+\n---\r\nMore\.$/);
    assert.equal(directory, join(operator, 'release'));
    assert.deepEqual(files, ['reference.md', 'scripts/SKILL.md', 'scripts/run.sh']);
    await rm(join(operator, 'release'), { recursive: true });
    await assert.rejects(skills.load('release'), /The skill release is no longer there/);
  });

  test('names at most a hundred files', async (t) => {
    const { write, read } = await world(t);
    await write('operator/a/SKILL.md', skill('description: x'));
    for (let index = 0; index < 120; index += 1) await write(`operator/a/f${index}`, 'x');
    assert.equal((await (await read()).load('a')).files.length, 100);
  });

  test('brings the rules of an operator, as a list or as a text, and none of a workspace', async (t) => {
    const { write, read } = await world(t);
    await write('operator/a/SKILL.md', skill('description: x\nallowed-tools: Read, Bash(git add:*) Bash(npm run:*),Grep'));
    await write('operator/b/SKILL.md', skill('description: x\nallowed-tools:\n  - Bash(git add:*)\n  - Read'));
    await write('workspace/.claude/skills/c/SKILL.md', skill('description: x\nallowed-tools: Bash'));
    const skills = await read();
    assert.deepEqual((await skills.load('a')).allowedTools, ['Read', 'Bash(git add:*)', 'Bash(npm run:*)', 'Grep']);
    assert.deepEqual((await skills.load('b')).allowedTools, ['Bash(git add:*)', 'Read']);
    assert.deepEqual((await skills.load('c')).allowedTools, []);
  });
});

describe('a link in a workspace', () => {
  test('leads to no skill, wherever on the way it stands', async (t) => {
    const { write, read, root, workspace, operator } = await world(t);
    await rm(operator, { recursive: true });
    await write('outside/skills/secret/SKILL.md', skill('description: Secret.'));
    await write('workspace/.agents/skills/file/README.md', 'x');
    await symlink(join(root, 'outside'), join(workspace, '.claude'));
    await symlink(join(root, 'outside/skills/secret'), join(workspace, '.agents/skills/folder'));
    await symlink(join(root, 'outside/skills/secret/SKILL.md'), join(workspace, '.agents/skills/file/SKILL.md'));
    assert.deepEqual((await read()).list(), []);
  });

  test('that takes the place of a skill later leads to no text and no names', async (t) => {
    const { write, read, root, workspace } = await world(t);
    await write('outside/secret.txt', 'x');
    await write('outside/SKILL.md', skill('description: Secret.'));
    await write('workspace/.claude/skills/a/SKILL.md', skill('description: x'));
    await write('workspace/.claude/skills/b/SKILL.md', skill('description: x'));
    const skills = await read();
    await rm(join(workspace, '.claude/skills/a'), { recursive: true });
    await symlink(join(root, 'outside'), join(workspace, '.claude/skills/a'));
    await symlink(join(root, 'outside'), join(workspace, '.claude/skills/b/more'));
    await assert.rejects(skills.load('a'), /no longer there/);
    assert.deepEqual((await skills.load('b')).files, []);
  });

  test('is followed where the operator keeps the skills', async (t) => {
    const { write, read, root, operator } = await world(t);
    await write('mounted/SKILL.md', skill('description: Mounted.', 'Text.'));
    await symlink(join(root, 'mounted'), join(operator, 'a'));
    assert.equal((await (await read()).load('a')).body, 'Text.');
  });
});

test('a skill that is no file is not waited for', async (t) => {
  const { read, operator } = await world(t);
  await mkdir(join(operator, 'pipe'));
  execFileSync('mkfifo', [join(operator, 'pipe/SKILL.md')]);
  await mkdir(join(operator, 'folder/SKILL.md'), { recursive: true });
  assert.deepEqual((await read()).list(), []);
});
