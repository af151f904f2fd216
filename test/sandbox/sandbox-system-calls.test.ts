// What a hostile command can ask of the kernel, and what ordinary ones still can.
import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { openSandboxed } from '../../src/sandbox/open-program/open-program-sandboxed.ts';
import { commands, profileFor, workingBubblewrap } from './commands.ts';

const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno;
/** Of x86-64, then of arm64. Not from the filter's own lists: what is wrong there must show here. */
const NUMBERS = {
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  open_by_handle_at: [304, 265],
  setns: [308, 268],
  unshare: [272, 97],
  clone: [56, 220],
  clone3: [435, 435],
  socket: [41, 198],
  mount: [165, 40],
  open_tree: [428, 428],
  ioctl: [16, 29],
} as const;
type CallName = keyof typeof NUMBERS;

/** A line that makes the call and prints the number of its error, or `done`. */
function calling(name: CallName, ...args: readonly (string | number)[]): string {
  const given = [...args, 0, 0, 0, 0, 0, 0].slice(0, 6).join(', ');
  return `perl -e 'my @given = (${given}); $! = 0; my $r = syscall(${NUMBERS[name][process.arch === 'arm64' ? 1 : 0]}, @given); print $r == -1 ? $! + 0 : "done", "\\n"'`;
}

/** Of the process alone, so that nothing stays should it work. */
const KEYRING = -2;
const ID_OF = 0;
const ATTACH = 16;
const SEIZE = 0x4206;
const NEW_USER = 0x1000_0000;
const TYPE_INPUT = 0x5412;

describe('a hostile command in the sandbox', () => {
  test('can neither put keys where other sandboxes find them, nor look for theirs', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const lines = [
      calling('add_key', '"user"', '"toolexec:test"', '"secret"', 6, KEYRING),
      calling('request_key', '"user"', '"toolexec:test"', 0, KEYRING),
      calling('keyctl', ID_OF, KEYRING, 1),
    ];
    assert.equal((await run(lines.join('\n'))).output, `${EPERM}\n`.repeat(3));
  });

  test('cannot stop the process whose end tells that the command has ended', async (t) => {
    const { run } = await commands(t, { sandbox: true, killGraceMs: 100 });
    const { output, exitCode, stopped } = await run(`${calling('ptrace', ATTACH, 1)}; ${calling('ptrace', SEIZE, 1)}; exit 7`, {
      timeoutMs: 10_000,
    });
    assert.deepEqual({ output, exitCode, stopped }, { output: `${EPERM}\n${EPERM}\n`, exitCode: 7, stopped: null });
  });

  test('is told by the kernel that what it tries is not permitted, or that there is no such call', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const refused =
      'ptrace process_vm_readv process_vm_writev pidfd_getfd bpf perf_event_open userfaultfd open_by_handle_at setns mount open_tree';
    const unknown = 'clone3 io_uring_setup';
    const { output } = await run(
      `${refused} ${unknown}`
        .split(' ')
        .map((name) => calling(name as CallName))
        .join('\n'),
    );
    const expected = [...refused.split(' ').map(() => EPERM), ...unknown.split(' ').map(() => ENOSYS)];
    assert.deepEqual(output.trim().split('\n').map(Number), expected);
  });

  test('makes no namespaces, also where the system alone would not keep it from that', async (t) => {
    const { run } = await commands(t, {
      sandbox: true,
      changed: (found) => ({ ...found, base: found.base.filter((option) => option !== '--disable-userns') }),
    });
    const lines = [calling('unshare', NEW_USER), calling('clone', `${NEW_USER} | ${constants.signals.SIGCHLD}`), calling('unshare', 0x200)];
    assert.equal((await run(lines.join('\n'))).output, `${EPERM}\n${EPERM}\ndone\n`);
    assert.match((await run('unshare --user --map-root-user true')).output, /Operation not permitted/);
  });

  test('types into no terminal', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const { output } = await run(`${calling('ioctl', 0, TYPE_INPUT)}; ${calling('ioctl', 0, `(1 << 32) + ${TYPE_INPUT}`)}`);
    assert.equal(output, `${EPERM}\n${EPERM}\n`);
  });

  test('has no sockets that do not belong to its own network', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const [PACKET, VSOCK, UNIX, INET6] = [17, 40, 1, 10];
    const { output } = await run([PACKET, VSOCK, UNIX, INET6].map((family) => calling('socket', family, 2)).join('\n'));
    assert.equal(output, `${EAFNOSUPPORT}\n${EAFNOSUPPORT}\ndone\ndone\n`);
  });

  test('that traces a program gets a clear error', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const { output, stopped } = await run(`hash strace && strace true || ${calling('ptrace', 0)}`);
    assert.match(output, /Operation not permitted|^1$/m);
    assert.equal(stopped, null);
  });

  // Another architecture has no such way in.
  if (process.arch === 'x64') {
    test('gains nothing by the calls of 32-bit programs', async (t) => {
      const { run, directory } = await commands(t, { sandbox: true });
      await writeFile(join(directory, 'old-way'), addKeyOfOldPrograms(), { mode: 0o755 });
      assert.equal((await run('./old-way')).exitCode, ENOSYS);
    });
  }
});

describe('ordinary programs in the sandbox', () => {
  const node = (source: string): string => `"$NODE" -e '${source}'`;
  const LINES: Record<string, string> = {
    'git makes a commit': 'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --oneline | wc -l',
    'node has threads': node(
      'const { Worker } = require("worker_threads"); new Worker("require(`worker_threads`).parentPort.postMessage(1)", { eval: true }).on("message", console.log)',
    ),
    'node starts programs': node('console.log(require("child_process").execFileSync("echo", ["1"]).toString().trim())'),
    'node serves itself': node(
      'const s = require("http").createServer((_, r) => r.end("1")).listen(0, "127.0.0.1", async () => { console.log(await (await fetch(`http://127.0.0.1:${s.address().port}`)).text()); s.close(); s.closeAllConnections() })',
    ),
    'npm tells its version': `! hash npm 2>/dev/null && echo 1 || npm --version | grep -c '^[0-9]'`,
    'python has threads and processes': `! hash python3 2>/dev/null && echo 1 || python3 -c 'import threading, subprocess, multiprocessing as m; t = threading.Thread(target=lambda: None); t.start(); t.join(); p = m.Process(target=int); p.start(); p.join(); print(subprocess.check_output(["echo", "1"], text=True).strip())'`,
    'gcc makes a program with threads': `! hash gcc 2>/dev/null && echo 1 || { echo '#include <pthread.h>
void *f(void *x) { return x; } int main() { pthread_t t; void *r; if (pthread_create(&t, 0, f, (void *) 1)) return 2; pthread_join(t, &r); return (long) r; }' > t.c && gcc t.c -o t -pthread && { ./t; echo $?; }; }`,
    'perl forks and waits': `perl -e 'my $p = fork // die; exit 1 unless $p; waitpid $p, 0; print $? >> 8, "\\n"'`,
    'a terminal of its own can be had': `perl -e 'open my $m, "+<", "/dev/ptmx" or die $!; my $n = pack "L", 0; ioctl $m, 0x80045430, $n or die $!; print 1'`,
    'find, sort and xargs do their work':
      'touch a b; find . -type f -newermt 2000-01-01 -print0 | xargs -0 -P2 -n1 ls | sort --parallel=2 -u | grep -c a',
    'personality and priority can be set': 'setarch -R nice true; echo $((1 - $?))',
  };
  for (const [what, line] of Object.entries(LINES)) {
    test(`go on: ${what}`, async (t) => {
      const { run, directory } = await commands(t, { sandbox: () => ({ readable: [process.execPath] }) });
      const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: directory, NODE: process.execPath };
      const { output, exitCode } = await run(line, { env });
      assert.deepEqual({ output: output.trim(), exitCode }, { output: '1', exitCode: 0 });
    });
  }
});

describe('the filter for system calls', () => {
  const SHOW = ['^Seccomp:', '/proc/self/status', '/proc/1/status'];
  const BOTH = '/proc/self/status:Seccomp:\t2\n/proc/1/status:Seccomp:\t2\n';

  test('holds for commands, for programs, for programs that run long, and for what watches over them', async (t) => {
    const { run, runner, program, directory, ...places } = await commands(t, { sandbox: true });
    const profile = profileFor({ ...places, directory });
    const request = { command: 'grep', args: SHOW, cwd: directory, env: { PATH: '/usr/bin:/bin' } };
    const shows: (() => Promise<string>)[] = [
      async () => (await run(`grep ${SHOW.join(' ')}`)).output,
      async () => (await run(`grep ${SHOW.join(' ')}`, { readOnly: true })).output,
      async () => (await runner.exec(program('grep', SHOW))).stdout,
      async () => {
        const long = await openSandboxed(request, { bubblewrap: await workingBubblewrap(), profile: () => profile });
        const shown = await text(long.stdout);
        await long.exited;
        return shown;
      },
    ];
    for (const show of shows) {
      // What watches takes its filter in the moment in which it has started the program: that may be a little ahead of it.
      let shown = await show();
      for (let again = 0; shown !== BOTH && again < 5; again += 1) shown = await show();
      assert.equal(shown, BOTH);
    }
  });

  test('cannot be read or changed from inside', async (t) => {
    const filter = (await workingBubblewrap()).filter ?? assert.fail('there is no filter');
    const { run } = await commands(t, { sandbox: true });
    const { output } = await run(`ls ${filter}; ls -l /proc/self/fd /proc/1/fd | grep -c system-calls`);
    assert.match(output, /No such file or directory\n0\n$/);
  });

  test('is never left out: without its file nothing runs', async (t) => {
    const file = (await workingBubblewrap()).filter ?? assert.fail('there is no filter');
    const link = `${file}.link`;
    await symlink(file, link);
    for (const filter of [`${file}.missing`, link, '/dev/null']) {
      const { runner, run, program } = await commands(t, { sandbox: true, changed: (found) => ({ ...found, filter }) });
      await assert.rejects(run('echo ran'), /sandbox could not be set up/, filter);
      await assert.rejects(runner.exec(program('echo', ['ran'])), /sandbox could not be set up/, filter);
    }
  });
});

/**
 * A program for Linux on x86-64 that asks for `add_key` by the number and the door of 32-bit programs, and has the error as its
 * exit code.
 */
function addKeyOfOldPrograms(): Buffer {
  const code = Buffer.from('b81e01000031db31c931d231f631ffcd80f7d889c7b83c0000000f05', 'hex');
  const [start, headers] = [0x40_0000n, 120];
  const size = BigInt(headers + code.length);
  const header = Buffer.alloc(headers);
  Buffer.from('7f454c46020101', 'hex').copy(header);
  header.writeUInt32LE(0x3e_0002, 16);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(start + BigInt(headers), 24);
  header.writeBigUInt64LE(64n, 32);
  header.writeUInt32LE(0x38_0040, 52);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(1, 64);
  header.writeUInt32LE(5, 68);
  header.writeBigUInt64LE(start, 80);
  header.writeBigUInt64LE(start, 88);
  header.writeBigUInt64LE(size, 96);
  header.writeBigUInt64LE(size, 104);
  header.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([header, code]);
}
