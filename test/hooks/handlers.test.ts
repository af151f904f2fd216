// How commands and URLs are run for hooks: their time, their output, their end, and what they get to see.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fetch } from '../../src/contract/index.ts';
import { benchOf, callOf, commands, occasionOf, prints, workspaceOf } from './hooks-harness.ts';

const PRE = occasionOf('PreToolUse');
const withHook = (hook: object): unknown => ({ PreToolUse: [{ hooks: [{ type: 'command', ...hook }] }] });

/** Resolves when the process has ended. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
      const state = /\) (\w)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1];
      if (state === 'Z') return;
    } catch {
      // There is no such process any more.
      return;
    }
    await pause(5);
  }
}

async function pidsIn(file: string): Promise<number[]> {
  return (await readFile(file, 'utf8')).trim().split('\n').map(Number);
}

describe('a command of a hook', () => {
  test('that is late blocks, and its whole group is killed with it', async (t) => {
    const workspace = await workspaceOf(t);
    const command = 'trap "" TERM; echo $$ >> pids; (trap "" TERM; echo $BASHPID >> pids; sleep 600) & sleep 600';
    const { behavior, reason } = await benchOf({ operator: withHook({ command, timeout: 0.3 }), workspace }).run(PRE);
    assert.equal(behavior, 'deny');
    assert.match(reason ?? '', /did not answer in time/);
    await Promise.all((await pidsIn(join(workspace, 'pids'))).map(gone));
  });

  test('is not waited for when somebody who left its group holds its output', async (t) => {
    const workspace = await workspaceOf(t);
    const command = "setsid bash -c 'echo $$ > escaped; sleep 600' & until [ -s escaped ]; do sleep 0.01; done; echo no >&2; exit 2";
    const { reason } = await benchOf({ operator: withHook({ command }), workspace }).run(PRE);
    assert.equal(reason, 'no');
    for (const pid of await pidsIn(join(workspace, 'escaped'))) process.kill(-pid, 'SIGKILL');
  });

  test('leaves nothing of its group running when it ends by itself', async (t) => {
    const workspace = await workspaceOf(t);
    await benchOf({ operator: withHook({ command: 'sleep 600 & echo $! > pids' }), workspace }).run(PRE);
    await Promise.all((await pidsIn(join(workspace, 'pids'))).map(gone));
  });

  test('that is late does not block where the operator forgives it', async () => {
    const { behavior, notes } = await benchOf({ operator: withHook({ command: 'sleep 600', timeout: 0.1, onTimeout: 'allow' }) }).run(PRE);
    assert.equal(behavior, undefined);
    assert.match(notes.join(), /did not answer in time/);
  });

  test('that floods its output blocks and is stopped', async () => {
    const { behavior, notes } = await benchOf({ operator: withHook({ command: 'yes' }) }).run(PRE);
    assert.equal(behavior, 'deny');
    assert.match(notes.join(), /more than 1048576 bytes/);
  });

  test('that floods its errors is heard all the same', async () => {
    const command = 'head -c 50000000 /dev/zero >&2; exit 2';
    const { behavior, reason = '' } = await benchOf({ operator: withHook({ command }) }).run(PRE);
    assert.equal(behavior, 'deny');
    assert.ok(reason.length < 20_000);
  });

  test('need not read what it is told, however long that is', async () => {
    const occasion = occasionOf('PreToolUse', callOf({ text: 'x'.repeat(3_000_000) }));
    assert.deepEqual(await benchOf({ operator: withHook({ command: 'exit 0' }) }).run(occasion), { additionalContext: [], notes: [] });
    assert.equal((await benchOf({ operator: withHook({ command: 'echo no >&2; exit 2' }) }).run(occasion)).reason, 'no');
  });

  test('is stopped when the turn is, and that is no yes even if it ends well', async (t) => {
    const workspace = await workspaceOf(t);
    const stop = new AbortController();
    const bench = benchOf({ operator: withHook({ command: 'trap "exit 0" TERM; echo $$ > pids; sleep 600 & wait' }), workspace });
    const verdict = bench.run(PRE, stop.signal);
    let pids: number[] = [];
    while (pids.length === 0) pids = await pidsIn(join(workspace, 'pids')).catch(() => pause(5, []));
    stop.abort();
    assert.equal((await verdict).behavior, 'deny');
    await Promise.all(pids.map(gone));
    assert.deepEqual(bench.reports, []);
  });

  test('does not start when the turn has already been stopped', async (t) => {
    const workspace = await workspaceOf(t);
    const verdict = await benchOf({ operator: withHook({ command: 'touch started' }), workspace }).run(PRE, AbortSignal.abort());
    assert.equal(verdict.behavior, 'deny');
    await assert.rejects(readFile(join(workspace, 'started')));
  });

  test('that kills itself blocks', async () => {
    const { behavior, reason } = await benchOf({ operator: withHook({ command: 'kill -9 $$' }) }).run(PRE);
    assert.deepEqual([behavior, /was killed/.test(reason ?? '')], ['deny', true]);
  });

  test('sees the project and the session, and nothing of the service’s own', async (t) => {
    const workspace = await workspaceOf(t);
    await benchOf({ operator: withHook({ command: 'env > seen' }), workspace }).run(PRE);
    const names = (await readFile(join(workspace, 'seen'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '');
    const ofBash = ['PWD', 'SHLVL', '_', 'OLDPWD'];
    assert.deepEqual(names.filter((name) => !ofBash.includes(name)).toSorted(), [
      'CLAUDE_PROJECT_DIR',
      'HOME',
      'PATH',
      'TOOLEXEC_SESSION_ID',
    ]);
  });

  test('of a session sees the variables of that session', async (t) => {
    const workspace = await workspaceOf(t);
    await benchOf({ session: withHook({ command: 'echo $TOKEN > seen' }), workspace }).run(PRE);
    assert.equal((await readFile(join(workspace, 'seen'), 'utf8')).trim(), 'session-token');
  });

  test('starts in the workspace when the directory of the session is gone', async (t) => {
    const workspace = await workspaceOf(t);
    const bench = benchOf({ operator: withHook({ command: 'pwd > seen' }), workspace });
    const lost = join(workspace, 'lost');
    await bench.hooks.run(PRE, { ...bench.context, state: { ...bench.context.state, cwd: lost } }, new AbortController().signal);
    assert.equal((await readFile(join(workspace, 'seen'), 'utf8')).trim(), workspace);
  });

  test('that cannot be started blocks', async (t) => {
    const workspace = await workspaceOf(t);
    await rm(workspace, { recursive: true });
    const { behavior, notes } = await benchOf({ operator: withHook({ command: 'true' }), workspace }).run(PRE);
    assert.equal(behavior, 'deny');
    assert.match(notes.join(), /could not be run: the directory .* does not exist/);
  });

  test('is named to people by its place, and not by what is in it', async () => {
    const bench = benchOf({ operator: withHook({ command: 'exit 9 # password' }) });
    const { notes } = await bench.run(PRE);
    assert.deepEqual(notes, ['Hook PreToolUse[0].hooks[0] of the operator ended with exit code 9.']);
    assert.deepEqual(bench.reports, ['Hook PreToolUse[0].hooks[0] of the operator ended with exit code 9']);
  });
});

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on the loopback that keeps what it was sent. */
async function serverOf(t: TestContext, answer: RequestListener): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

const says =
  (body: string, status = 200): RequestListener =>
  (_, response) =>
    void response.writeHead(status).end(body);
const DENY = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' },
});
const withUrl = (url: string, more: object = {}): unknown => ({ PreToolUse: [{ hooks: [{ type: 'http', url, ...more }] }] });

describe('a URL of a hook', () => {
  test('is sent what a command would read, and its JSON decides', async (t) => {
    const { url, received } = await serverOf(t, says(DENY));
    const verdict = await benchOf({ operator: withUrl(url) }).run(PRE);
    assert.deepEqual([verdict.behavior, verdict.reason], ['deny', 'no']);
    assert.equal(received[0]?.headers['content-type'], 'application/json');
    assert.equal((JSON.parse(received[0]?.body ?? '') as Record<string, unknown>)['tool_name'], 'Echo');
  });

  test('that answers 2xx without a word has no opinion', async (t) => {
    const { url } = await serverOf(t, says('', 204));
    assert.deepEqual(await benchOf({ operator: withUrl(url) }).run(PRE), { additionalContext: [], notes: [] });
  });

  const failing: [what: string, answer: RequestListener, why: RegExp][] = [
    ['with a status that is not 2xx, whatever it says', says('{}', 500), /answered with status 500/],
    ['with a redirect', (_, response) => void response.writeHead(307, { location: '/other' }).end(), /answered with status 307/],
    ['with a page', says('<html>Log in</html>'), /cannot be read: it is no JSON object/],
    ['with half a JSON', says(DENY.slice(0, 30)), /cannot be read/],
    ['with more than can be meant', says(' '.repeat(1_100_000) + DENY), /more than 1048576 bytes/],
    ['by hanging up', (request) => void request.socket.destroy(), /could not be run/],
  ];
  for (const [what, answer, why] of failing) {
    test(`that answers ${what} blocks`, async (t) => {
      const { url } = await serverOf(t, answer);
      const { behavior, notes } = await benchOf({ operator: withUrl(url) }).run(PRE);
      assert.equal(behavior, 'deny');
      assert.match(notes.join(), why);
    });
  }

  test('that fails after a call is a note and costs nothing', async (t) => {
    const { url } = await serverOf(t, says('', 500));
    const operator = { PostToolUse: [{ hooks: [{ type: 'http', url }] }] };
    const { behavior, notes } = await benchOf({ operator }).run(occasionOf('PostToolUse'));
    assert.deepEqual([behavior, notes.length], [undefined, 1]);
  });

  test('that does not answer, or not to the end, is late', async (t) => {
    for (const answer of [() => {}, ((_, response) => void response.writeHead(200).write('{')) as RequestListener]) {
      const { url } = await serverOf(t, answer);
      const { behavior, reason } = await benchOf({ operator: withUrl(url, { timeout: 0.1 }) }).run(PRE);
      assert.deepEqual([behavior, /did not answer in time/.test(reason ?? '')], ['deny', true]);
    }
  });

  test('is let go of when the turn is stopped', async (t) => {
    const stop = new AbortController();
    const { url } = await serverOf(t, () => stop.abort());
    const bench = benchOf({ operator: withUrl(url) });
    assert.equal((await bench.run(PRE, stop.signal)).behavior, 'deny');
    assert.deepEqual(bench.reports, []);
  });

  test('gets the variables that it is allowed, the operator’s or the session’s, and no others', async (t) => {
    const { url, received } = await serverOf(t, says(''));
    const hook = withUrl(url, {
      headers: { 'x-token': 'Bearer $TOKEN', 'x-both': '${TOKEN}-${OTHER}-$' },
      allowedEnvVars: ['TOKEN', 'constructor'],
    });
    await benchOf({ operator: hook }).run(PRE);
    await benchOf({ session: hook }).run(PRE);
    assert.deepEqual(
      received.map(({ headers }) => [headers['x-token'], headers['x-both']]),
      [
        ['Bearer operator-token', 'operator-token--$'],
        ['Bearer session-token', 'session-token--$'],
      ],
    );
  });

  test('of a session is reached by the session’s own way out', async (t) => {
    const { url } = await serverOf(t, says(''));
    const refuses: Fetch = () => Promise.reject(new Error('the address is not public'));
    const bench = benchOf({
      operator: withUrl(url),
      session: withUrl(url),
      ports: { fetchFor: (source) => (source === 'session' ? refuses : fetch) },
    });
    const { behavior, notes } = await bench.run(PRE);
    assert.equal(behavior, 'deny');
    assert.deepEqual(notes, ['Hook PreToolUse[0].hooks[0] of the session could not be run: the address is not public']);
  });
});

test('a command and a URL answer together', async (t) => {
  const { url } = await serverOf(t, says(DENY));
  const more = commands('PreToolUse', prints({ hookSpecificOutput: { additionalContext: 'from bash' } }));
  const verdict = await benchOf({ operator: more, session: withUrl(url) }).run(PRE);
  assert.deepEqual([verdict.behavior, verdict.additionalContext], ['deny', ['from bash']]);
});
