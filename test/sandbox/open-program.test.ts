// Programs that run for long and are talked to.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServerProgram } from '../../src/contract/index.ts';
import { detectSandbox } from '../../src/sandbox/enclosure/detect-sandbox.ts';
import { openProgram } from '../../src/sandbox/open-program/open-program.ts';
import { openSandboxed } from '../../src/sandbox/open-program/open-program-sandboxed.ts';
import { DEFAULT_LIMITS } from '../../src/sandbox/enclosure/sandbox-profile.ts';
import { processesWith } from './commands.ts';

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
const shell = (line: string) => ({ command: 'bash', args: ['-c', line], cwd: tmpdir(), env });

async function sandbox(t: TestContext) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-program-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const workspace = await realpath(await mkdtemp(join(root, 'workspace-')));
  const detection = await detectSandbox(join(root, 'sandbox'));
  assert.ok(detection.works);
  const { bubblewrap } = detection;
  const profile = () => ({
    workspace,
    writable: [],
    readable: [],
    tempDir: join(root, 'temp'),
    home: join(root, 'home'),
    masked: [],
    readOnly: [join(workspace, '.git')],
    hidden: [],
    network: { kind: 'none' } as const,
    limits: { ...DEFAULT_LIMITS, openFiles: 123 },
  });
  return {
    workspace,
    open: async (line: string, more: Record<string, string> = {}) => {
      const program = await openSandboxed({ ...shell(line), cwd: workspace, env: { ...env, ...more } }, { bubblewrap, profile });
      t.after(() => program.kill());
      return program;
    },
  };
}

/** The first line that it prints. */
async function firstLine({ stdout }: ServerProgram): Promise<string> {
  for await (const chunk of stdout) return String(chunk).trim();
  return '';
}

describe('a program that is talked to', () => {
  test('hears and answers, and ends when its input does', async () => {
    const program = await openProgram({ command: 'cat', args: [], cwd: tmpdir(), env });
    program.stdin.end('hello');
    assert.equal(await text(program.stdout), 'hello');
    assert.deepEqual(await program.exited, { code: 0, signal: null });
  });

  test('has the environment that it is given and no other, and nothing that the service has open', async () => {
    const program = await openProgram(shell('env; ls -l /proc/self/fd'));
    const [output] = await Promise.all([text(program.stdout), program.exited]);
    assert.ok(!/^(HOME|USER|NODE_)/m.test(output));
    const open = output.split('\n').filter((line) => / -> /.test(line) && !/\/proc\/|\/dev\/null|socket:|pipe:/.test(line));
    assert.deepEqual(open, []);
  });

  test('that cannot be started says why', async () => {
    await assert.rejects(openProgram({ command: 'no-such-program', args: [], cwd: tmpdir(), env }), /there is no program no-such-program/);
    await assert.rejects(openProgram({ ...shell('true'), cwd: '/no/such/place' }), /working directory \/no\/such\/place does not exist/);
  });

  test('keeps the last words of its errors', async () => {
    const program = await openProgram(shell('head -c 100000 /dev/zero | tr "\\0" x >&2; echo the end >&2; exit 3'));
    assert.equal((await program.exited).code, 3);
    assert.ok(program.stderrTail().endsWith('the end\n') && program.stderrTail().length <= 4_096);
  });

  test('is killed with its group, however stubborn it is', async () => {
    const program = await openProgram(shell('trap "" TERM; sleep 1000 & echo $!; while true; do sleep 0.1; done'), { graceMs: 50 });
    const child = await firstLine(program);
    await program.kill();
    assert.equal((await program.exited).signal, 'SIGKILL');
    while (existsSync(`/proc/${child}`)) await wait(10);
  });

  test('takes its group along when it ends by itself, and whoever holds its output is not waited for', async () => {
    const program = await openProgram(shell('sleep 1000 & setsid sleep 1000 & echo $!'), { graceMs: 50 });
    const holder = await firstLine(program);
    assert.equal((await program.exited).code, 0);
    assert.equal(program.stdout.destroyed, true);
    process.kill(Number(holder), 'SIGKILL');
  });
});

describe('a program in a sandbox', () => {
  test('sees what its session sees, within the limits, and changes what it may', async (t) => {
    const { open, workspace } = await sandbox(t);
    const program = await open(
      'pwd; ulimit -n; ls -d /work 2>&1; echo x > file && mkdir .git 2>&1; echo $TOOLEXEC_LIMITS; ls /proc | grep -c "^[0-9]"',
    );
    const [output] = await Promise.all([text(program.stdout), program.exited]);
    const [place, files, others, git, limits] = output.split('\n');
    assert.deepEqual([place, files, limits], [workspace, '123', '']);
    assert.match(others ?? '', /No such file/);
    assert.match(git ?? '', /File exists|Read-only/);
    assert.ok(existsSync(join(workspace, 'file')));
    assert.ok(!existsSync(join(workspace, '.git')), 'what was held while it ran is gone');
  });

  test('leaves nothing behind, not even what left its group', async (t) => {
    const { open } = await sandbox(t);
    const mark = `leaves-nothing-${process.pid}`;
    const program = await open('setsid sleep 1000 & (setsid setsid sleep 1000 &); echo ready; cat', { MARK: mark });
    assert.equal(await firstLine(program), 'ready');
    assert.ok(processesWith(mark).length >= 2);
    await program.kill();
    await program.exited;
    while (processesWith(mark).length > 0) await wait(10);
  });

  test('that is not there says so itself', async (t) => {
    const { open } = await sandbox(t);
    const program = await open('exec no-such-program');
    program.stdout.resume();
    assert.equal((await program.exited).code, 127);
    assert.match(program.stderrTail(), /no-such-program: not found/);
  });
});
