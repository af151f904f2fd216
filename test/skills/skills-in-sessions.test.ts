// Skills under the real service: what a model is told of them, what it may read, and what an operator's skill allows.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withConfigFile } from '../routes/config-file.ts';
import { call, resultsOf, startServer, type Json } from '../support/server.ts';

const NO_QUESTIONS = { mode: 'default', ask_timeout_ms: 0 };

test('the skills of a session', async (t) => {
  const skills = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-operator-skills-')));
  t.after(() => rm(skills, { recursive: true, force: true }));
  await mkdir(join(skills, 'notes'));
  await writeFile(
    join(skills, 'notes/SKILL.md'),
    '---\nname: notes\ndescription: Keeps notes.\nallowed-tools: Write(/notes.txt)\n---\nWrite $ARGUMENTS.\n',
  );
  await writeFile(join(skills, 'notes/style.md'), 'Short sentences.\n');
  const config = await withConfigFile(t, { tools: { include: ['Read', 'Write', 'Bash', 'Skill'] } });
  const server = await startServer(t, { env: { ...config, TOOLEXEC_SKILLS_DIR: skills } });
  const run = async (session: string, name: string, input: Json): Promise<string> => {
    const { body } = await server.post(session, [call(`c${(calls += 1)}`, name, input)]);
    return resultsOf(body)[0]?.replace(/^c\d+: /, '') ?? JSON.stringify(body);
  };
  let calls = 0;

  await t.test('are told to the model, those of its workspace among them', async () => {
    const workspace = join(server.root, 'project');
    await mkdir(join(workspace, '.claude/skills/tests'), { recursive: true });
    await writeFile(
      join(workspace, '.claude/skills/tests/SKILL.md'),
      '---\ndescription: Runs tests.\nallowed-tools: Write\n---\nRun them.\n',
    );
    const session = await server.session({ workspace: { path: workspace }, permissions: NO_QUESTIONS });
    const { body } = await server.request('GET', `/v1/sessions/${session}/tools?format=anthropic`);
    const skill = (body['tools'] as Json[]).find(({ name }) => name === 'Skill');
    assert.match(skill?.['description'] as string, /\n- notes: Keeps notes\.\n- tests \(workspace\): Runs tests\.$/);
    assert.match(await run(session, 'Skill', { skill: 'tests' }), /^Skill tests, found in the workspace[^]*\n\nRun them\.$/);
    assert.match(await run(session, 'Write', { file_path: 'x', content: 'x' }), /denied/, 'the workspace allows nothing');
  });

  await t.test('by the operator are read with their files, and their rules hold from then on', async () => {
    const session = await server.session({ permissions: NO_QUESTIONS });
    assert.match(await run(session, 'Write', { file_path: 'notes.txt', content: 'x' }), /denied/);
    assert.match(await run(session, 'Skill', { skill: 'notes', args: 'a poem' }), /Files there: style\.md\n\nWrite a poem\.$/);
    assert.match(await run(session, 'Read', { file_path: join(skills, 'notes/style.md') }), /Short sentences/);
    assert.match(await run(session, 'Bash', { command: `cat ${join(skills, 'notes/style.md')}` }), /Short sentences/);
    assert.doesNotMatch(await run(session, 'Write', { file_path: 'notes.txt', content: 'x' }), /denied/);
    assert.match(await run(session, 'Write', { file_path: 'other.txt', content: 'x' }), /denied/);
    assert.match(await run(session, 'Write', { file_path: join(skills, 'notes/style.md'), content: 'x' }), /denied|does not write/);
  });

  await t.test('are denied by a rule with their name', async () => {
    const session = await server.session({ permissions: { mode: 'bypassPermissions', deny: ['Skill(notes)'] } });
    assert.match(await run(session, 'Skill', { skill: 'notes' }), /The rule Skill\(notes\) denies it/);
  });
});
