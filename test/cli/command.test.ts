import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DURABLE, startRedis } from '../support/redis.ts';
import type { Json } from '../support/server.ts';
import { LAUNCHER, startCommand, toolexec } from './command.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-cli-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

describe('the command', () => {
  test('shows its version, and help for each command', async () => {
    const { version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as { version: string };
    assert.equal((await toolexec(['--version'])).stdout, `${version}\n`);
    const overview = await toolexec(['--help']);
    assert.equal(overview.code, 0);
    for (const name of ['serve', 'run', 'tools', 'doctor']) {
      assert.match(overview.stdout, new RegExp(`^  ${name} `, 'm'));
      const { code, stdout } = await toolexec([name, '--help']);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: toolexec ${name}`));
    }
  });

  test('ends with 2 for what it does not know', async () => {
    for (const argv of [[], ['nope'], ['constructor'], ['serve', '--port'], ['tools', 'x'], ['doctor', '--nope']]) {
      const { code, stdout, stderr } = await toolexec(argv);
      assert.deepEqual([code, stdout], [2, ''], argv.join(' '));
      assert.match(stderr, /toolexec/);
    }
  });

  test('serves, and drains when it is told to', async (t) => {
    const env = { TOOLEXEC_PORT: '0', TOOLEXEC_DATA_DIR: await temporary(t) };
    const { child, printed } = startCommand(['serve'], { env });
    t.after(() => child.kill('SIGKILL'));
    while (!printed.stdout.includes('"address"')) await once(child.stdout, 'data');
    const [, url = ''] = /"address":"([^"]+)"/.exec(printed.stdout) ?? [];
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'close'), [0, null]);
    assert.match(printed.stdout, /"draining"/);
  });

  test('lists tools as a table, and as a model takes them', async () => {
    const table = await toolexec(['tools']);
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, /^Read +Reads /m);
    const { tools, hash } = JSON.parse((await toolexec(['tools', '--json'])).stdout) as Json;
    assert.match(hash, /^sha256:/);
    const names = tools.map(({ name }: Json) => name);
    assert.deepEqual(
      table.stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
      names,
    );
    assert.equal(tools[0].input_schema.type, 'object');
    // Who starts a service for himself alone is its operator, as in `toolexec run`.
    assert.ok(names.includes('Config'));
  });
});

/** Runs the launcher as if by an old Node, in a package that is laid out so. */
async function launchOld(root: string, argv: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } });';
  const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, join(root, 'bin/toolexec.js'), ...argv];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

describe('the launcher on an old Node', () => {
  async function packageIn(t: TestContext): Promise<string> {
    const root = join(await temporary(t), 'package');
    await mkdir(join(root, 'bin'), { recursive: true });
    await cp(LAUNCHER, join(root, 'bin/toolexec.js'));
    await cp(join(PROJECT, 'package.json'), join(root, 'package.json'));
    return root;
  }

  test('goes on with the Node that came with the package, and passes on how that ended', async (t) => {
    const root = await packageIn(t);
    await mkdir(join(root, 'node_modules/.bin'), { recursive: true });
    await symlink(process.execPath, join(root, 'node_modules/.bin/node'));
    await mkdir(join(root, 'src/cli'), { recursive: true });
    await writeFile(join(root, 'src/cli/main.ts'), 'export const main = (argv: string[]) => (console.log(...argv), 7);');
    assert.deepEqual(await launchOld(root, ['one', 'two words']), { code: 7, stdout: 'one two words\n', stderr: '' });
  });

  test('says what to do where there is none', async (t) => {
    const { code, stdout, stderr } = await launchOld(await packageIn(t), ['--version']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^toolexec needs Node 24 or later, and this is 20\.11\.0: install it .*\n$/);
  });
});

describe('toolexec doctor', () => {
  async function findings(env: Record<string, string>): Promise<{ code: number | null; of: Record<string, Json> }> {
    const { code, stdout, stderr } = await toolexec(['doctor', '--json'], { env });
    assert.equal(stderr, '');
    const { ok, checks } = JSON.parse(stdout) as Json;
    assert.equal(ok, code === 0);
    return { code, of: Object.fromEntries(checks.map((check: Json) => [check['name'], check])) };
  }

  test('finds a machine and settings fit, and says so of each', async (t) => {
    const dataDir = join(await temporary(t), 'data');
    const { code, of } = await findings({ TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_API_KEYS: 'me:first-secret' });
    assert.equal(code, 0);
    for (const name of ['node', 'ripgrep', 'git', 'open files', 'settings', 'keys', 'store']) assert.equal(of[name]?.['state'], 'ok', name);
    assert.ok(of['sandbox'] !== undefined && of['disk space'] !== undefined);
    await assert.rejects(readFile(dataDir), { code: 'ENOENT' }, 'it leaves no directory behind');
    const { stdout } = await toolexec(['doctor'], { env: { TOOLEXEC_DATA_DIR: dataDir } });
    assert.match(stdout, /^✓ ok +node +Node \d+/m);
    assert.match(stdout, /^! warn keys .*\n +→ Set TOOLEXEC_API_KEYS/m);
  });

  test('fails for what the service would not start with, and says how to mend it', async (t) => {
    const directory = await temporary(t);
    const file = join(directory, 'file');
    await writeFile(file, '');
    const store = await findings({ TOOLEXEC_DATA_DIR: join(file, 'below') });
    assert.equal(store.code, 1);
    assert.match(store.of['store']?.['fix'], /TOOLEXEC_DATA_DIR/);
    const egress = await findings({ TOOLEXEC_EGRESS_ALLOW: 'http://there' });
    assert.equal(egress.code, 1);
    assert.match(egress.of['settings']?.['detail'], /^TOOLEXEC_EGRESS_ALLOW: .* give its host alone/);
    const host = await findings({ TOOLEXEC_HOST: '0.0.0.0' });
    assert.equal(host.code, 1);
    assert.match(host.of['settings']?.['detail'], /TOOLEXEC_API_KEYS/);
    const redis = await findings({ TOOLEXEC_DATA_DIR: directory, TOOLEXEC_STORE: 'redis://127.0.0.1:1' });
    assert.equal(redis.code, 1);
    assert.match(redis.of['store']?.['detail'], /Redis cannot be used/);
    const odd = await findings({ TOOLEXEC_DATA_DIR: directory, TOOLEXEC_PROT: '1', PATH: '/nowhere' });
    assert.deepEqual([odd.of['settings']?.['state'], odd.of['git']?.['state']], ['warn', 'warn']);
  });

  for (const [what, file, said] of [
    ['a rule', { permissions: { deny: ['Read()'] } }, 'permissions, deny[0]: "Read()" is not a rule'],
    ['a hook', { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url: 'no' }] }] } }, 'hooks, PreToolUse[0].hooks[0].url: give a URL'],
    ['an MCP server', { mcp_servers: { a: { type: 'stdio', command: '' } } }, 'mcp_servers, a.command: Give the program'],
    [
      'a language server',
      { language_servers: { a: { command: 'x', extensions: {} } } },
      'language_servers, a.extensions: Name at least one',
    ],
  ] as const) {
    test(`fails for ${what} in the file of settings that the service would refuse`, async (t) => {
      const dataDir = await temporary(t);
      const path = join(dataDir, 'settings.json');
      await writeFile(path, JSON.stringify(file));
      const env = { TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_CONFIG: path };
      const { code, of } = await findings(env);
      const detail: string = of['settings']?.['detail'];
      assert.deepEqual([code, of['settings']?.['state']], [1, 'fail']);
      assert.ok(detail.startsWith(`TOOLEXEC_CONFIG, ${said}`), detail);
      assert.equal((await toolexec(['serve'], { env })).stderr, `toolexec cannot start: ${detail}\n`);
    });
  }

  test('looks at a Redis: whether it can be reached, and whether it loses anything', async (t) => {
    const dataDir = await temporary(t);
    for (const [settings, state, said] of [
      [DURABLE, 'ok', /set to lose nothing/],
      [[], 'warn', /keeps nothing on disk/],
      [['--maxmemory-policy', 'allkeys-lru'], 'fail', /set maxmemory-policy noeviction/],
    ] as const) {
      const redis = await startRedis(settings);
      t.after(() => redis.end());
      const { of } = await findings({ TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_STORE: redis.url });
      assert.equal(of['store']?.['state'], state);
      assert.match(of['store']?.['detail'], said);
    }
  });
});
