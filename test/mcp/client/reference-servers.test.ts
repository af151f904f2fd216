// The public reference servers, as they are.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { OpenProgram } from '../../../src/contract/index.ts';
import { detectSandbox } from '../../../src/sandbox/enclosure/detect-sandbox.ts';
import { openSandboxed } from '../../../src/sandbox/open-program/open-program-sandboxed.ts';
import { DEFAULT_LIMITS } from '../../../src/sandbox/enclosure/sandbox-profile.ts';
import { freePort } from '../../../chaos/world/free-port.ts';
import { hubInTest, peopleWho, PROGRAM_ENV, referenceFile, referenceServer, type SessionInTest } from '../../support/mcp-session.ts';

const PACKAGES = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

/** What a session may do with the server that has one tool for everything. */
async function tryEverything({ connect, call, names }: SessionInTest): Promise<void> {
  await connect();
  assert.ok(names().length >= 13);
  assert.equal((await call('mcp__every__echo', { message: 'hello' })).text, 'Echo: hello');
  const image = await call('mcp__every__get-tiny-image', {});
  assert.deepEqual(Array.isArray(image.result.content) && image.result.content.map(({ type }) => type), ['text', 'image', 'text']);
  const { result, text: shown } = await call('mcp__every__get-structured-content', { location: 'Chicago' });
  assert.deepEqual(result.output, JSON.parse(shown));
  assert.match((await call('mcp__every__get-resource-links', { count: 2 })).text, /\[Resource .*: demo:\/\/resource/);
  const long = await call('mcp__every__trigger-long-running-operation', { duration: 0.2, steps: 2 });
  assert.deepEqual(long.progress.at(-1), { kind: 'mcp', progress: 2, total: 2 });
  const { people, asked } = peopleWho({ behavior: 'allow', by: 'client', updatedInput: { name: 'x' } });
  assert.match((await call('mcp__every__trigger-elicitation-request', {}, { people })).text, /Name: x/);
  assert.match(asked[0]?.reason ?? '', /Please provide inputs/);
  assert.equal((await call('mcp__every__get-sum', { a: 'x', b: 2 })).result.isError, true);
}

async function everythingOverHttp(t: TestContext): Promise<string> {
  const port = await freePort();
  const env = { ...PROGRAM_ENV, PORT: String(port) };
  const server = spawn(process.execPath, [referenceFile('server-everything'), 'streamableHttp'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => server.kill('SIGKILL'));
  for await (const text of server.stderr.setEncoding('utf8')) if (String(text).includes('listening')) break;
  return `http://127.0.0.1:${port}/mcp`;
}

/** Programs of a session in the sandbox that its commands have. */
async function sandboxedPrograms(t: TestContext): Promise<{ open: OpenProgram; workspace: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-mcp-box-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const workspace = await realpath(await mkdtemp(join(root, 'workspace-')));
  const detection = await detectSandbox(join(root, 'sandbox'));
  assert.ok(detection.works);
  const profile = () => ({
    workspace,
    writable: [],
    readable: [PACKAGES],
    tempDir: join(root, 'temp'),
    home: join(root, 'home'),
    masked: [],
    readOnly: [],
    hidden: [],
    network: { kind: 'none' } as const,
    limits: DEFAULT_LIMITS,
  });
  const { bubblewrap } = detection;
  return {
    workspace,
    open: ({ command, args, cwd, env }) => openSandboxed({ command, args, cwd, env: { ...PROGRAM_ENV, ...env } }, { bubblewrap, profile }),
  };
}

describe('the reference server', () => {
  test('for everything works over the streams of a program', async (t) => {
    const { open } = await hubInTest(t);
    await tryEverything(await open({ every: referenceServer('server-everything') }));
  });

  test('for everything works over HTTP', async (t) => {
    const { open } = await hubInTest(t);
    await tryEverything(await open({ every: { type: 'http', url: await everythingOverHttp(t), headers: {} } }));
  });

  test('for files sees the workspace and nothing else, and in the sandbox could not', async (t) => {
    const { open, workspace } = await sandboxedPrograms(t);
    const outside = join(workspace, '..', 'secret');
    await writeFile(join(workspace, 'note.txt'), 'inside');
    await writeFile(outside, 'outside');
    const hub = await hubInTest(t);
    const session = await hub.open(
      { files: referenceServer('server-filesystem', workspace), every: referenceServer('server-everything') },
      { openProgram: open, workspace },
    );
    await session.connect();
    assert.deepEqual(
      session.remote.servers.map(({ state }) => state),
      ['ready', 'ready'],
    );
    assert.equal((await session.call('mcp__files__read_text_file', { path: join(workspace, 'note.txt') })).text, 'inside');
    assert.equal((await session.call('mcp__files__read_text_file', { path: outside })).result.isError, true);
    await session.call('mcp__files__write_file', { path: join(workspace, 'new.txt'), content: 'written' });
    assert.equal(await readFile(join(workspace, 'new.txt'), 'utf8'), 'written');
    const reads = session.tool('mcp__files__read_text_file');
    assert.deepEqual([reads.isReadOnly({}), reads.isConcurrencySafe({})], [true, true]);
    assert.equal((await session.call('mcp__every__echo', { message: 'from inside' })).text, 'Echo: from inside');
  });

  test('for memory remembers through a session, and the one for thinking thinks', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'toolexec-mcp-memory-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const { open } = await hubInTest(t);
    const { connect, call } = await open({
      memory: { ...referenceServer('server-memory'), env: { MEMORY_FILE_PATH: join(directory, 'memory.json') } },
      thinking: referenceServer('server-sequential-thinking'),
    });
    await connect();
    await call('mcp__memory__create_entities', { entities: [{ name: 'Kiel', entityType: 'town', observations: ['by the sea'] }] });
    assert.match((await call('mcp__memory__search_nodes', { query: 'Kiel' })).text, /by the sea/);
    const thought = { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const { result } = await call('mcp__thinking__sequentialthinking', thought);
    assert.equal((result.output as { thoughtNumber: number }).thoughtNumber, 1);
  });
});
