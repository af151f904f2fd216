import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { detectSandbox, type SandboxDetection } from '../../src/sandbox/enclosure/detect-sandbox.ts';
import { copySystemFiles } from '../../src/sandbox/enclosure/system-files.ts';
import { programOf } from './classic-bpf.ts';

const SOURCE = new URL('../../src/sandbox/enclosure/detect-sandbox.ts', import.meta.url).href;

async function directory(t: TestContext): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-system-')));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** A filter that takes away the right to have filters: `prctl(PR_SET_SECCOMP)` fails as where the kernel has none. */
function withoutFilters(): Buffer {
  const [PRCTL, SET_SECCOMP] = [process.arch === 'arm64' ? 167 : 157, 22];
  return programOf([
    [0x20, 0, 0, 0],
    [0x15, 0, 3, PRCTL],
    [0x20, 0, 0, 16],
    [0x15, 0, 1, SET_SECCOMP],
    [0x06, 0, 0, 0x0005_0000 | constants.errno.EINVAL],
    [0x06, 0, 0, 0x7fff_0000],
  ]);
}

/** What a service finds that runs inside a container made with these options. */
async function detectedIn(t: TestContext, options: readonly string[], filter?: Buffer): Promise<SandboxDetection> {
  const source = `import { detectSandbox } from '${SOURCE}'; console.log(JSON.stringify(await detectSandbox('${await directory(t)}')));`;
  const args = ['--unshare-user', '--dev-bind', '/', '/', ...options, '--', process.execPath, '--input-type=module', '-e', source];
  const file = join(await directory(t), 'filter');
  await writeFile(file, filter ?? '');
  const line = filter === undefined ? 'exec bwrap "$@"' : `exec bwrap --seccomp 9 "$@" 9<${file}`;
  return JSON.parse((await promisify(execFile)('/bin/bash', ['-c', line, 'bash', ...args])).stdout) as SandboxDetection;
}

describe('the start of the service', () => {
  test('finds out that the sandbox works by running it', async (t) => {
    const found = await detectSandbox(await directory(t));
    assert.ok(found.works, JSON.stringify(found));
    assert.match(found.version, /^\d+\.\d+/);
    assert.ok(found.filtersSystemCalls);
  });

  test('finds out that it works also where the kernel takes no filter for system calls, and says that there is none', async (t) => {
    const found = await detectedIn(t, [], withoutFilters());
    assert.ok(found.works, JSON.stringify(found));
    assert.deepEqual([found.filtersSystemCalls, found.bubblewrap.filter], [false, null]);
    const other = await detectedIn(t, []);
    assert.ok(other.works && other.filtersSystemCalls, JSON.stringify(other));
  });

  test('finds out that it works also where its data lies behind a link', async (t) => {
    const path = await directory(t);
    await mkdir(join(path, 'real'));
    await symlink('real', join(path, 'link'));
    const found = await detectSandbox(join(path, 'link/system'));
    assert.ok(found.works, JSON.stringify(found));
  });

  test('finds out that it does not where there are no user namespaces, and says what to change', async (t) => {
    const found = await detectedIn(t, ['--disable-userns']);
    assert.ok(!found.works);
    assert.match(found.reason, /^bubblewrap does not work here: bwrap: .*namespace.* It needs user namespaces.*seccomp=unconfined/s);
  });

  test('finds out that it does not where /proc is masked, and says what to change', async (t) => {
    const found = await detectedIn(t, ['--tmpfs', '/proc/tty']);
    assert.ok(!found.works);
    assert.match(found.reason, /mount proc.* \/proc must not be masked \(Docker: --security-opt systempaths=unconfined\)/);
  });

  test('says so when the files for it cannot be made', async () => {
    const found = await detectSandbox('/dev/null/toolexec');
    assert.ok(!found.works);
    assert.match(found.reason, /^Its files could not be made: /);
  });
});

test('of the files of the system commands see what is for all, and nothing that is not', async (t) => {
  const into = join(await directory(t), 'etc');
  copySystemFiles(into);
  const names = await readdir(into, { recursive: true });
  assert.ok(names.includes('passwd') && names.includes('ld.so.cache'));
  for (const name of names) {
    assert.doesNotMatch(name, /shadow|private\/|sudoers|ssh_host|machine-id|\.key$/);
    const stats = await stat(join('/etc', name)).catch(() => null);
    assert.ok(stats === null || (stats.mode & 0o004) !== 0, name);
  }
});
