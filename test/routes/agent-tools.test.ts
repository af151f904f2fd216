// What the model of an agent is offered and allowed, and what ends with the agent.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withConfigFile } from './config-file.ts';
import { lastWords, startModelServer, type ModelRequest, type Script } from '../support/model-server.ts';
import { call, resultsOf, startServer, type Json } from '../support/server.ts';

const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
let agents = 0;
const agent = (): Json => call(`agent_${(agents += 1)}`, 'Agent', { description: 'Works', prompt: 'Do it.' });
const namesOf = ({ tools }: Json): string[] => (tools as Json[]).map(({ name }) => name as string);

test('agents', async (t) => {
  const skills = await mkdtemp(join(tmpdir(), 'toolexec-agent-skills-'));
  t.after(() => rm(skills, { recursive: true, force: true }));
  await mkdir(join(skills, 'notes'));
  await writeFile(
    join(skills, 'notes/SKILL.md'),
    '---\nname: notes\ndescription: Keeps notes.\nallowed-tools: Write(/notes.txt)\n---\nWrite.\n',
  );
  const config = await withConfigFile(t, {
    mcp_servers: { all: { type: 'stdio', command: process.execPath, args: [EVERYTHING], sandbox: false } },
  });
  let script: Script = () => ({ text: 'Done.' });
  const model = await startModelServer(t, (request, index) => script(request, index));
  const server = await startServer(t, {
    env: { ...config, TOOLEXEC_SKILLS_DIR: skills, TOOLEXEC_MODEL_BASE_URL: model.url, TOOLEXEC_MODEL: 'scripted' },
  });
  const run = async (session: string, ...calls: Json[]): Promise<string[]> => resultsOf((await server.post(session, calls)).body);
  /** Has the agent make a call, then say what came of it. */
  const plays = (name: string, input: Json): void => {
    let asked = 0;
    script = (request) => ((asked += 1) === 1 ? { calls: [{ name, input }] } : { text: lastWords(request) });
  };

  await t.test('are offered what servers of the session have, from their first question on', async () => {
    script = () => ({ text: 'Done.' });
    const before = model.requests.length;
    await run(await server.session(), agent());
    const { body } = await model.request(before);
    assert.ok(namesOf(body).includes('mcp__all__echo'), namesOf(body).join());
  });

  await t.test('are offered neither the tools of the client nor the settings of the session', async () => {
    const custom = [{ name: 'pick_color', description: 'Asks.', input_schema: { type: 'object' }, client: true }];
    const id = await server.session({ tools: { custom, search: 'off' } });
    const own = namesOf((await server.request('GET', `/v1/sessions/${id}/tools`)).body);
    assert.ok(own.includes('pick_color') && own.includes('Config'), 'the session itself has them');
    const seen: ModelRequest[] = [];
    script = (request) => {
      seen.push(request);
      if (seen.length > 1) return { text: lastWords(request) };
      return {
        calls: [
          { name: 'pick_color', input: {} },
          { name: 'Config', input: { setting: 'mode' } },
        ],
      };
    };
    const [result] = await run(id, agent());
    const offered = namesOf(seen[0]?.body ?? {});
    assert.ok(offered.includes('Read'));
    assert.deepEqual(
      ['pick_color', 'Config'].filter((name) => offered.includes(name)),
      [],
    );
    assert.match(result ?? '', /No tool named "pick_color"[^]*No tool named "Config"/);
  });

  await t.test('may do what an operator’s skill has allowed their session, and no more', async () => {
    const id = await server.session({ permissions: { mode: 'default', ask_timeout_ms: 0 } });
    const { body } = await server.request('GET', `/v1/sessions/${id}`);
    const written = async (file: string): Promise<boolean> => {
      plays('Write', { file_path: file, content: 'x' });
      await run(id, agent());
      return existsSync(join(body['workspace'].path, file));
    };
    assert.equal(await written('notes.txt'), false, 'before it is used');
    await run(id, call('s', 'Skill', { skill: 'notes' }));
    assert.deepEqual([await written('notes.txt'), await written('other.txt')], [true, false]);
  });

  await t.test('take what they left in the background along when they end', async () => {
    const name = `toolexec-agent-task-${process.pid}`;
    let asked = 0;
    script = async (request) => {
      if ((asked += 1) === 1)
        return { calls: [{ name: 'Bash', input: { command: `exec -a ${name} sleep 600`, run_in_background: true } }] };
      while ((await processesNamed(name)).length === 0) await sleep(10);
      return { text: lastWords(request) };
    };
    const id = await server.session();
    const [result] = await run(id, agent());
    assert.match(result ?? '', /task_\w+/);
    assert.deepEqual(await processesNamed(name), []);
    const { body } = await server.request('GET', `/v1/sessions/${/ses_\w+/.exec(result ?? '')?.[0]}/tasks`);
    assert.deepEqual(
      (body['data'] as Json[]).map(({ status }) => status),
      ['stopped'],
    );
  });
});

/** Process ids by the name that a command has given itself: in a sandbox, numbers of processes are others. */
async function processesNamed(name: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((id) => /^\d+$/.test(id));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.startsWith(`${name}\0`)).map(Number);
}
