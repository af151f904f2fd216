import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../support/process.ts';
import { assistant, call, type Json } from '../support/server.ts';
import { startCommand, toolexec } from './command.ts';

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Names of what is left in its temporary directory. */
  readonly leftovers: () => Promise<string[]>;
}

async function place(t: TestContext, message?: Json): Promise<Place> {
  const cwd = await mkdtemp(join(tmpdir(), 'toolexec-cli-'));
  const temporary = await mkdtemp(join(tmpdir(), 'toolexec-cli-tmp-'));
  t.after(() => Promise.all([cwd, temporary].map((path) => rm(path, { recursive: true, force: true }))));
  await writeFile(join(cwd, 'note.txt'), 'hello\n');
  if (message !== undefined) await writeFile(join(cwd, 'message.json'), JSON.stringify(message));
  return { cwd, env: { TMPDIR: temporary }, leftovers: () => readdir(temporary) };
}

const READ = call('a', 'Read', { file_path: 'note.txt' });
const WRITE = call('b', 'Write', { file_path: 'made.txt', content: 'made' });

describe('toolexec run', () => {
  test('prints the reply as JSON and how it went on stderr, works in the current directory, and leaves nothing behind', async (t) => {
    const { cwd, env, leftovers } = await place(t, assistant([READ, call('c', 'Bash', { command: 'echo one; sleep 0.3; echo two' })]));
    const { code, stdout, stderr } = await toolexec(['run', 'message.json'], { cwd, env });
    assert.equal(code, 0, stderr);
    const { messages, turn } = JSON.parse(stdout) as Json;
    assert.deepEqual(
      messages[0].content.map(({ tool_use_id, content }: Json) => [tool_use_id, content]),
      [
        ['a', '1\thello'],
        ['c', 'one\ntwo'],
      ],
    );
    assert.equal(turn.status, 'completed');
    const told = ['Read note.txt: queued', 'Read note.txt: runs', 'Read note.txt: ok', ': one\n', ': two\n'];
    const places = told.map((text) => stderr.indexOf(text));
    assert.ok(!places.includes(-1), stderr);
    assert.ok((places[3] ?? 0) < (places[4] ?? 0), 'output is told as it comes');
    assert.match(stderr, /╭ 1 Read .*█.*◆ +ok/);
    assert.ok(!stderr.includes('\u001B'), 'no colours where nobody sees them');
    assert.deepEqual(await leftovers(), []);
  });

  test('ends with 1 when a call failed, also one that would have needed an approval, and with 0 where a rule allows it', async (t) => {
    const { cwd, env } = await place(t, assistant([WRITE]));
    const denied = await toolexec(['run', 'message.json', '--quiet'], { cwd, env });
    assert.equal(denied.code, 1);
    assert.equal(denied.stderr, '');
    assert.equal((JSON.parse(denied.stdout) as Json)['turn'].calls[0].outcome, 'denied');
    assert.ok(!(await readdir(cwd)).includes('made.txt'));
    const allowed = await toolexec(['run', 'message.json', '--allow', 'Write'], { cwd, env });
    assert.equal(allowed.code, 0, allowed.stderr);
    assert.equal(await readFile(join(cwd, 'made.txt'), 'utf8'), 'made');
  });

  test('takes messages in the formats of other APIs from the standard input, a mode and a directory', async (t) => {
    const { cwd, env } = await place(t);
    const called = { name: 'Write', arguments: JSON.stringify(WRITE['input']) };
    const message = { role: 'assistant', tool_calls: [{ id: 'b', type: 'function', function: called }] };
    const argv = ['run', '-', '--mode', 'acceptEdits', '--workspace', cwd];
    const { code, stdout, stderr } = await toolexec(argv, { env, input: JSON.stringify(message) });
    assert.equal(code, 0, stderr);
    const [reply] = (JSON.parse(stdout) as Json)['messages'];
    assert.deepEqual([reply.role, reply.tool_call_id], ['tool', 'b']);
    assert.equal(await readFile(join(cwd, 'made.txt'), 'utf8'), 'made');
  });

  test('asks a service that is there, with its key, and says in its words why not', async (t) => {
    const { cwd, env } = await place(t, assistant([call('a', 'Glob', { pattern: '*' })]));
    const dataDir = join(cwd, 'data');
    const server = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_API_KEYS: 'me:first-secret' });
    await writeFile(join(cwd, 'key'), 'first-secret\n');
    const done = await toolexec(['run', 'message.json', '--url', server.url, '--key', '@key'], { cwd, env });
    assert.equal(done.code, 0, done.stderr);
    const isLogged = (): boolean => server.log.some((line) => line.includes('call ended') && line.includes('"key":"me"'));
    for (const end = performance.now() + 30_000; !isLogged() && performance.now() < end;) await sleep(20);
    assert.ok(isLogged());
    const refused = await toolexec(['run', 'message.json', '--url', server.url, '--key', 'wrong-secret'], { cwd, env });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^toolexec run: A valid key is needed.* none of the keys/);
    const keyless = await toolexec(['run', 'message.json', '--url', server.url], { cwd, env });
    assert.equal(keyless.code, 1);
    assert.match(keyless.stderr, /^toolexec run: A valid key is needed.* --key @file, or in TOOLEXEC_KEY\.$/m);
    const named = await toolexec(['run', 'message.json', '--url', server.url], { cwd, env: { ...env, TOOLEXEC_KEY: '@key' } });
    assert.equal(named.code, 0, named.stderr);
    assert.equal(refused.stdout, '');
    assert.equal(await server.end('SIGTERM'), 0);
    const away = await toolexec(['run', 'message.json', '--url', server.url], { cwd, env });
    assert.equal(away.code, 1);
    assert.match(away.stderr, /^toolexec run: The service at \S+ cannot be reached: .*Start one there with toolexec serve/);
    assert.equal(away.stderr.trim().split('\n').length, 1, 'no trace of the stack');
  });

  test('ends also on a terminal, where it draws again and again, when there is no service', async (t) => {
    const { cwd, env } = await place(t, assistant([READ]));
    const onTerminal = { ...env, NODE_OPTIONS: '--import=data:text/javascript,process.stderr.isTTY=true' };
    for (const [url, expected] of [
      ['http://127.0.0.1:1', 1],
      ['nonsense', 2],
    ] as const) {
      const { child, printed } = startCommand(['run', 'message.json', '--url', url], { cwd, env: onTerminal });
      t.after(() => child.kill('SIGKILL'));
      const [code] = (await once(child, 'close')) as [number | null];
      assert.deepEqual([code, printed.stdout], [expected, '']);
    }
  });

  test('ends with 2 and says what to change when it is used wrongly', async (t) => {
    const { cwd, env } = await place(t, assistant([READ]));
    await writeFile(join(cwd, 'broken.json'), '{');
    await writeFile(join(cwd, 'list.json'), '[]');
    for (const [argv, reason] of [
      [['run'], /Name one file with a message/],
      [['run', 'nowhere.json'], /There is no file nowhere\.json\./],
      [['run', 'broken.json'], /could not be read as JSON/],
      [['run', 'list.json'], /not a JSON object/],
      [['run', 'message.json', '--mode', 'yolo'], /give one of default, acceptEdits/],
      [['run', 'message.json', '--nope'], /--nope/],
      [['run', 'message.json', '--workspace', 'nowhere'], /--workspace is nowhere/],
      [['run', 'message.json', '--key', 'x'], /--url/],
      [['run', 'message.json', '--url', 'nonsense'], /give an address/],
    ] as const) {
      const { code, stdout, stderr } = await toolexec(argv, { cwd, env });
      assert.deepEqual([code, stdout], [2, ''], argv.join(' '));
      assert.match(stderr, reason);
    }
  });

  test('stops what runs when it is interrupted, and leaves nothing behind', async (t) => {
    const { cwd, env, leftovers } = await place(t, assistant([call('a', 'Bash', { command: 'echo begun; sleep 60; touch late' })]));
    const { child, printed } = startCommand(['run', 'message.json'], { cwd, env });
    t.after(() => child.kill('SIGKILL'));
    while (!printed.stderr.includes(': begun')) await once(child.stderr, 'data');
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 130);
    assert.match(printed.stderr, /stopped by SIGINT/);
    assert.deepEqual(await leftovers(), []);
  });
});
