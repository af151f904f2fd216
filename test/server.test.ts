import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProcess, type ServerProcess } from './support/process.ts';
import { assistant, call, type Json } from './support/server.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-server-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

interface Failed {
  readonly code: number | string | null | undefined;
  readonly stderr: string;
}

/** Runs the service until it ends by itself. */
function failedStart(env: Record<string, string>, { root = PROJECT, flags = [] as string[] } = {}): Promise<Failed> {
  const options = { env: { PATH: process.env['PATH'] ?? '', HOME: '/tmp', TOOLEXEC_PORT: '0', ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, join(root, 'src/server.ts')], options, (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }),
    );
  });
}

function assertRefused({ code, stderr }: Failed, reason: RegExp): void {
  assert.match(stderr, reason);
  assert.match(stderr, /^toolexec cannot start: [^\n]+\n$/, 'one line, and no stack');
  assert.equal(code, 1);
}

describe('a start that fails says why in one line', () => {
  test('when the port is in use', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.after(() => other.close());
    const port = String((other.address() as { port: number }).port);
    const failed = await failedStart({ TOOLEXEC_DATA_DIR: await temporary(t), TOOLEXEC_PORT: port });
    assertRefused(failed, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use: .*TOOLEXEC_PORT`));
  });

  test('when the host is not one of this machine', async (t) => {
    const env = { TOOLEXEC_DATA_DIR: await temporary(t), TOOLEXEC_API_KEYS: 'one:first-secret', TOOLEXEC_HOST: 'nowhere.invalid' };
    assertRefused(await failedStart(env), /TOOLEXEC_HOST is nowhere\.invalid, which is not an address of this machine/);
  });

  test('when the data directory cannot be used', async (t) => {
    const file = join(await temporary(t), 'file');
    await writeFile(file, '');
    for (const directory of [file, join(file, 'below')]) {
      assertRefused(await failedStart({ TOOLEXEC_DATA_DIR: directory }), /TOOLEXEC_DATA_DIR is .*file.*, which cannot be used/);
    }
  });

  test('when another process has the store', async (t) => {
    const dataDir = await temporary(t);
    await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    assertRefused(await failedStart({ TOOLEXEC_DATA_DIR: dataDir }), /toolexec\.sqlite/);
  });

  test('when a tool is broken', async (t) => {
    const root = await temporary(t);
    await Promise.all(['src', 'routes', 'tools'].map((part) => cp(join(PROJECT, part), join(root, part), { recursive: true })));
    await symlink(join(PROJECT, 'node_modules'), join(root, 'node_modules'));
    await writeFile(join(root, 'package.json'), '{"type": "module"}');
    await mkdir(join(root, 'tools/broken'));
    await writeFile(join(root, 'tools/broken/index.ts'), "throw new Error('first line\\nsecond line');\n");
    assertRefused(await failedStart({ TOOLEXEC_DATA_DIR: join(root, 'data') }, { root }), /Tool folder broken .*first line/);
  });

  test('when Node is too old, which is seen before anything is loaded that it does not have', async (t) => {
    const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.11.0" } });';
    const broken = 'import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) {';
    const hook = `${broken} if (name === "node:sqlite" || name === "fastify") throw new Error("loaded"); return next(name, context); } });`;
    const flags = [old, hook].flatMap((code) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`]);
    const failed = await failedStart({ TOOLEXEC_DATA_DIR: await temporary(t) }, { flags });
    assertRefused(failed, /needs Node 24 or later, and this is 22\.11\.0/);
  });
});

test('a variable that is no setting is named in one warning', async (t) => {
  const server = await startProcess(t, { TOOLEXEC_DATA_DIR: await temporary(t), TOOLEXEC_PROT: '1', TOOLEXEC_PORTS: '2' });
  const warnings = server.log.filter((line) => line.includes('"level":40'));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /not settings: TOOLEXEC_PROT, TOOLEXEC_PORTS/);
});

describe('a service that drains', () => {
  /** Begins a turn that takes a while. @returns its reply, `null` when none came */
  async function begin(server: ServerProcess): Promise<{ reply: Promise<Json | null> }> {
    const post = (path: string, body: Json) =>
      fetch(server.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const session = (await (await post('/v1/sessions', { permissions: { mode: 'bypassPermissions' } })).json()) as Json;
    const path = `/v1/sessions/${session['id']}`;
    const events = await fetch(`${server.url}${path}/events`);
    const message = assistant([call('a', 'Bash', { command: 'sleep 1; echo finished' })]);
    const reply = post(`${path}/messages`, message).then(
      async (response) => (await response.json()) as Json,
      () => null,
    );
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; !text.includes('call_started');) text += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    return { reply };
  }

  test('goes on with it when the same signal comes twice, as through npm', async (t) => {
    const server = await startProcess(t, { TOOLEXEC_DATA_DIR: await temporary(t) });
    const { reply } = await begin(server);
    process.kill(server.pid, 'SIGTERM');
    // Signals that come together are one: the second is sent when the first has arrived.
    while (!server.log.some((line) => line.includes('"draining"'))) await sleep(5);
    assert.equal(await server.end('SIGTERM'), 0);
    assert.match(JSON.stringify((await reply)?.['messages']), /finished/);
  });

  test('ends at once when it is told to by another signal', async (t) => {
    const server = await startProcess(t, { TOOLEXEC_DATA_DIR: await temporary(t) });
    const { reply } = await begin(server);
    process.kill(server.pid, 'SIGTERM');
    assert.equal(await server.end('SIGINT'), 1);
    assert.equal(await reply, null);
  });
});
