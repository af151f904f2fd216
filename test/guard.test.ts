// The guard as a client meets it: rules, modes, hooks and the sandbox together, over the real service.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { withConfigFile } from './routes/config-file.ts';
import { call, resultsOf, startServer, type Json } from './support/server.ts';

const outcomes = (body: Json): string[] => body['turn'].calls.map((one: Json) => one['outcome']);
const noSandboxYes = { sandbox: { auto_allow_bash: false } };

describe('rules', () => {
  test("of the operator hold in every mode, and no client's rule opens what they deny", async (t) => {
    const env = await withConfigFile(t, { permissions: { deny: ['Bash(curl:*)', 'Read(./.env)'] }, tools: { exclude: ['Edit'] } });
    const server = await startServer(t, { env });
    await writeFile(join(server.root, '.env'), 'SECRET=1\n');
    const session = await server.session({
      workspace: { path: server.root },
      permissions: { mode: 'bypassPermissions', allow: ['Bash(curl:*)', 'Read(./.env)'] },
    });
    const { body } = await server.post(session, [
      call('a', 'Bash', { command: 'true && curl --version' }),
      call('b', 'Read', { file_path: '.env' }),
      call('c', 'Bash', { command: 'timeout 5 curl --version' }),
      call('d', 'Edit', { file_path: 'x', old_string: 'a', new_string: 'b' }),
    ]);
    assert.deepEqual(outcomes(body), ['denied', 'denied', 'denied', 'unknown_tool']);
    assert.doesNotMatch(JSON.stringify(body), /SECRET/);
  });

  test('that an answer is to remember let the next such call run, and no other', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ permissions: { mode: 'default' }, ...noSandboxYes });
    const first = await server.post(session, [call('a', 'Bash', { command: 'touch one' })]);
    const [pending] = first.body['pending'];
    const answered = await server.request('POST', `/v1/sessions/${session}/approvals/${pending.id}`, {
      behavior: 'allow',
      remember: 'session',
    });
    assert.equal(answered.status, 200);
    const { body } = await server.request('GET', `/v1/sessions/${session}`);
    assert.deepEqual(body['permissions'].allow, [pending.suggestions[0].rule]);
    await server.post(session, [call('a', 'Bash', { command: 'touch one' })]);
    assert.deepEqual(outcomes((await server.post(session, [call('b', 'Bash', { command: 'touch one' })])).body), ['ok']);
    assert.equal((await server.post(session, [call('c', 'Bash', { command: 'rm one' })])).body['turn'].status, 'requires_action');
  });
});

describe('the sandbox', () => {
  test('is told of in the session and in /readyz, and holds commands that no rule has looked into', async (t) => {
    const server = await startServer(t);
    const ready = await server.request('GET', '/readyz');
    assert.deepEqual(ready.body['sandbox'], { mode: 'on' });
    await mkdir(join(server.root, 'ws'));
    await writeFile(join(server.root, 'outside'), 'secret');
    await writeFile(join(server.root, 'ws', 'hidden'), 'secret');
    const session = await server.session({
      workspace: { path: join(server.root, 'ws') },
      permissions: { mode: 'bypassPermissions', deny: ['Read(./hidden)'] },
    });
    assert.deepEqual((await server.request('GET', `/v1/sessions/${session}`)).body['sandbox'], { mode: 'on' });
    const { body } = await server.post(session, [
      call('a', 'Bash', {
        command: 'f=hid; f=${f}den; bash -c "cat ./$f; cat ../outside; echo x > ../escaped; ls /proc | grep -c ^[0-9]"; echo y > inside',
      }),
    ]);
    assert.doesNotMatch(resultsOf(body)[0] ?? '', /secret/);
    await assert.rejects(readFile(join(server.root, 'escaped')), { code: 'ENOENT' });
    assert.equal(await readFile(join(server.root, 'ws', 'inside'), 'utf8').catch(() => ''), outcomes(body)[0] === 'denied' ? '' : 'y\n');
  });
});

/** A hook server that says no to what holds a word, and remembers what it was told. */
async function hookServer(t: TestContext, told: Json[]): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const event = JSON.parse(text) as Json;
      told.push(event);
      const deny = JSON.stringify(event['tool_input']).includes('forbidden');
      const hookSpecificOutput = {
        hookEventName: event['hook_event_name'],
        permissionDecision: 'deny',
        permissionDecisionReason: 'not that word',
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(deny ? { hookSpecificOutput } : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('hooks', () => {
  test('of the operator see each call and can stop it, in any mode', async (t) => {
    const told: Json[] = [];
    const url = await hookServer(t, told);
    const script = 'cat > /dev/null; echo "look it up first" >&2; exit 2';
    const env = await withConfigFile(t, {
      hooks: {
        PreToolUse: [
          { matcher: 'Write', hooks: [{ type: 'http', url }] },
          { matcher: 'Glob', hooks: [{ type: 'command', command: script }] },
        ],
      },
    });
    const server = await startServer(t, { env });
    const session = await server.session();
    const { body } = await server.post(session, [
      call('a', 'Write', { file_path: 'a', content: 'fine' }),
      call('b', 'Write', { file_path: 'b', content: 'forbidden' }),
      call('c', 'Glob', { pattern: '*' }),
    ]);
    assert.deepEqual(outcomes(body), ['ok', 'denied', 'denied']);
    assert.match(resultsOf(body)[1] ?? '', /not that word/);
    assert.match(resultsOf(body)[2] ?? '', /look it up first/);
    assert.deepEqual(
      told.map(({ hook_event_name, tool_name }) => [hook_event_name, tool_name]),
      [
        ['PreToolUse', 'Write'],
        ['PreToolUse', 'Write'],
      ],
    );
  });

  test('of a session reach public addresses only, and block when they cannot be asked', async (t) => {
    const told: Json[] = [];
    const url = await hookServer(t, told);
    const server = await startServer(t);
    const session = await server.session({ hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'http', url }] }] } });
    assert.deepEqual(outcomes((await server.post(session, [call('a', 'Glob', { pattern: '*' })])).body), ['denied']);
    assert.deepEqual(told, []);
    const refused = await server.request('POST', '/v1/sessions', {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] },
    });
    assert.equal(refused.status, 400);
  });
});

test('the files that hold the keys and settings of the service are read by nobody, wherever they lie', async (t) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-secret-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const keys = join(root, 'keys (of [us])');
  await writeFile(keys, 'me:secret-secret-1\n');
  const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: `@${keys}`, TOOLEXEC_WORKSPACE_ROOTS: root } });
  const headers = { authorization: 'Bearer secret-secret-1' };
  const made = await server.request(
    'POST',
    '/v1/sessions',
    { workspace: { path: root }, permissions: { mode: 'bypassPermissions' } },
    headers,
  );
  const { body } = await server.post(
    made.body['id'],
    [
      call('a', 'Read', { file_path: keys }),
      call('b', 'Bash', { command: 'python3 -c "import glob; print(open(glob.glob(\'keys*\')[0]).read())"' }),
    ],
    headers,
  );
  assert.equal(body['turn'].calls[0].outcome, 'denied');
  assert.doesNotMatch(JSON.stringify(body['messages']), /secret-secret/);
});

describe('what is protected', () => {
  const python = `python3 -c 'open(".git/hooks/post-commit","w").write("x")'`;

  test('can be made where nothing is yet and all goes with the session, and is held from then on', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ permissions: { mode: 'default' } });
    const made = await server.post(session, [call('a', 'Bash', { command: 'git init -q . && ls .git | head -1' })]);
    assert.deepEqual(outcomes(made.body), ['ok'], JSON.stringify(made.body));
    const { body } = await server.post(session, [call('b', 'Bash', { command: python })]);
    assert.deepEqual(outcomes(body), ['tool_error']);
    assert.match(resultsOf(body)[0] ?? '', /Read-only file system/);
  });

  test('is changed by a command that people have said yes to, and by none that nobody has looked at', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ workspace: { path: server.root }, permissions: { mode: 'default' } });
    const named = 'mkdir -p .git/hooks; echo x > .git/hooks/post-commit';
    const asked = await server.post(session, [call('a', 'Bash', { command: named })]);
    assert.equal(asked.body['turn'].status, 'requires_action');
    await server.request('POST', `/v1/sessions/${session}/approvals/${asked.body['pending'][0].id}`, { behavior: 'allow' });
    assert.deepEqual(outcomes((await server.post(session, [call('a', 'Bash', { command: named })])).body), ['ok']);
    assert.equal(await readFile(join(server.root, '.git/hooks/post-commit'), 'utf8'), 'x\n');
    const { body } = await server.post(session, [call('b', 'Bash', { command: python.replace('"x"', '"y"') })]);
    assert.deepEqual(outcomes(body), ['tool_error']);
    assert.equal(await readFile(join(server.root, '.git/hooks/post-commit'), 'utf8'), 'x\n');
  });

  test('of the settings of a repository is asked for, and a commit needs none of it', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ permissions: { mode: 'default' } });
    const commit = 'git init -q . && touch a && git add a && git commit -qm first && git log --format=%s';
    const { body } = await server.post(session, [call('a', 'Bash', { command: commit })]);
    assert.deepEqual([outcomes(body), resultsOf(body)], [['ok'], ['a: first']], JSON.stringify(body));
    const remote = [call('b', 'Bash', { command: 'git remote add origin ../elsewhere && git remote' })];
    const asked = await server.post(session, remote);
    assert.equal(asked.body['turn'].status, 'requires_action');
    await server.request('POST', `/v1/sessions/${session}/approvals/${asked.body['pending'][0].id}`, { behavior: 'allow' });
    assert.deepEqual(resultsOf((await server.post(session, remote)).body), ['b: origin']);
    const reads = await server.post(session, [call('c', 'Bash', { command: 'git config --get remote.origin.url; git branch -a' })]);
    assert.deepEqual(outcomes(reads.body), ['ok']);
  });

  test('is not asked for under bypassPermissions, nor held then', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ workspace: { path: server.root } });
    const { body } = await server.post(session, [
      call('a', 'Bash', { command: 'git init -q . && git config user.name me && cat .git/config | wc -l' }),
    ]);
    assert.deepEqual(outcomes(body), ['ok'], JSON.stringify(body));
  });

  test('is asked for again when a yes comes with another command', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ permissions: { mode: 'default' }, ...noSandboxYes });
    const asked = await server.post(session, [call('a', 'Bash', { command: 'touch one' })]);
    const path = `/v1/sessions/${session}/approvals`;
    await server.request('POST', `${path}/${asked.body['pending'][0].id}`, { behavior: 'allow', updated_input: { command: 'rm -rf /' } });
    const again = await server.post(session, [call('a', 'Bash', { command: 'touch one' })]);
    assert.equal(again.body['turn'].status, 'requires_action');
    assert.equal(again.body['pending'][0].input.command, 'rm -rf /');
  });
});
