// What a hostile command can take of the machine, and what is left of it.
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { asNobody } from './one-command.ts';
import { commands, isRunning, outputThat, processesWith, waitFor } from './commands.ts';

const FORK_BOMB = 'bomb() { bomb | bomb & }; bomb; sleep 1000';

describe('the limits of a command', () => {
  test('stop a fork bomb from having more processes than it may, and nothing of it is left', async () => {
    const { stopped, output, mark } = await asNobody(`${FORK_BOMB} 2>/dev/null & sleep 1; ls -d /proc/[0-9]* | wc -l; wait`);
    assert.equal(stopped, 'timeout');
    assert.ok(Number(output.match(/^\d+$/m)?.[0] ?? 0) <= 66, output.slice(0, 500));
    assert.deepEqual(processesWith(mark), []);
  });

  test('hold for each session by itself', async () => {
    const busy = asNobody('for i in $(seq 50); do sleep 2 & done; wait; echo all');
    const other = asNobody('for i in $(seq 50); do sleep 1 & done; wait; echo all');
    assert.deepEqual(
      (await Promise.all([busy, other])).map(({ output }) => output),
      ['all\n', 'all\n'],
    );
  });

  test('end what takes too much memory, with a clear result', async (t) => {
    const { run, allEnded } = await commands(t, {
      sandbox: () => ({ limits: { processes: 64, memoryBytes: 2 ** 28, fileBytes: 2 ** 24, openFiles: 64 } }),
    });
    const { output, exitCode } = await run(`perl -e '$x = "x" x 400_000_000; print length $x'`);
    assert.match(output, /Out of memory/i);
    assert.notEqual(exitCode, 0);
    assert.equal((await run(`perl -e '$x = "x" x 100_000_000; print length $x'`)).output, '100000000');
    assert.match((await run('head -c 400000000 /dev/zero | tail')).output, /memory exhausted|cannot allocate/i);
    await allEnded();
  });

  test('end what writes too large a file, sparse or not', async (t) => {
    const { run, directory } = await commands(t, {
      sandbox: () => ({ limits: { processes: 64, memoryBytes: 2 ** 30, fileBytes: 2 ** 20, openFiles: 64 } }),
    });
    const { output } = await run('truncate -s 10G sparse; echo "$?"; head -c 2000000 /dev/zero > full; echo "$?"');
    assert.match(output, /File too large|File size limit exceeded/);
    assert.ok((await stat(join(directory, 'full'))).size <= 2 ** 20);
    assert.equal((await stat(join(directory, 'sparse'))).size, 0);
  });

  test('of memory that files in it take hold as well', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const { output } = await run(
      'for d in / /dev /run /dev/shm /etc /var; do head -c 100000000 /dev/zero > $d/flood; done; df --output=used /dev/shm | tail -1',
    );
    assert.equal(output.match(/Read-only file system/g)?.length, 5);
    assert.match(output, /No space left on device/);
    assert.ok(Number(output.trim().split('\n').at(-1)) <= 65_536);
  });

  test('of open files and of core dumps hold', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const { output } = await run(
      `ulimit -c; ulimit -n; ulimit -c unlimited; ulimit -n 100000; perl -e 'while (open my $f, "<", "/dev/null") { push @f, $f } print scalar @f, "\n"'`,
    );
    const [core, files, ...rest] = output.trim().split('\n');
    assert.deepEqual([core, files], ['0', '4096']);
    assert.ok(Number(rest.at(-1)) < 4096);
    assert.equal(rest.filter((line) => /Operation not permitted/.test(line)).length, 2);
  });
});

describe('nothing is left running', () => {
  const LINES: Record<string, string> = {
    'a thousand children in the background': 'for i in $(seq 1000); do sleep 1000 & done; echo done',
    'a daemon that has forked twice and holds the output': '(setsid sh -c "sleep 1000 & exec sleep 1000" &) ; echo done',
    'children in sessions of their own': 'for i in 1 2 3; do setsid -f sleep 1000; nohup setsid sleep 1000 & done; echo done',
    'a child that ignores being asked': `(trap '' TERM HUP INT; while :; do sleep 1; done) & echo done`,
    'a child that is stopped': 'sleep 1000 & kill -STOP $!; echo done',
    'a child that has changed its name and directory': `(cd /; exec -a '[kworker]' sleep 1000) & disown; echo done`,
  };
  for (const [what, line] of Object.entries(LINES)) {
    test(`of ${what}, when the result is told`, async (t) => {
      const { run, countRunning } = await commands(t, { sandbox: true });
      const { output, exitCode } = await run(line);
      assert.deepEqual([output.replaceAll(/^nohup: .*\n/gm, ''), exitCode], ['done\n', 0]);
      assert.equal(countRunning(), 0);
    });
  }

  const ENDLESS: Record<string, string> = {
    'a flood of lines': 'yes',
    'a flood of bytes': 'cat /dev/zero',
    'a flood in the background': '(yes & yes >&2 & cat /dev/zero &) ; sleep 1000',
    'a shell that ignores everything': `trap '' TERM HUP INT QUIT; while :; do :; done`,
    'a shell that is stopped with all of its group': 'sleep 1000 & kill -STOP 0; sleep 1000',
    'a tree that is deep': 'f() { [ $1 = 0 ] && sleep 1000 || ( f $(($1 - 1)); : ); }; f 50',
    'a child in a session of its own that it waits for': 'setsid -w sleep 1000',
  };
  for (const [what, line] of Object.entries(ENDLESS)) {
    test(`of ${what}, when its time is over`, async (t) => {
      const { run, countRunning } = await commands(t, { sandbox: true, killGraceMs: 100 });
      const { stopped, exitCode } = await run(line, { timeoutMs: 600, maxOutputBytes: 1_000_000 });
      assert.ok(stopped === 'timeout' || stopped === 'output_limit', String(stopped));
      assert.equal(exitCode, null);
      assert.equal(countRunning(), 0);
    });
  }

  test('when the helper dies', async (t) => {
    const { runner, request, program, data, allEnded } = await commands(t, { sandbox: true });
    const { seen, onOutput } = outputThat(/ready/);
    const running = [
      runner.run(request('setsid sleep 1000 & echo ready; sleep 1000', { onOutput })),
      runner.exec(program('sh', ['-c', 'setsid sleep 1000 & sleep 1000'])),
    ];
    const answers = Promise.allSettled(running);
    await seen;
    const parents = await Promise.all(processesWith(data).map(parentOf));
    const [helper] = await Promise.all(parents.map(async (pid) => ((await parentOf(pid)) === process.pid ? [pid] : []))).then((found) =>
      found.flat(),
    );
    process.kill(helper ?? assert.fail('no helper'), 'SIGKILL');
    assert.deepEqual(
      (await answers).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await allEnded();
  });

  test('when it is aborted before its line has begun', async (t) => {
    const { runner, request, countRunning } = await commands(t, { sandbox: true, killGraceMs: 20_000 });
    for (let wait = 0; wait < 12; wait += 1) {
      const controller = new AbortController();
      const running = runner.run(request('sleep 1000', { signal: controller.signal }));
      for (const endMs = performance.now() + wait; performance.now() < endMs;) await new Promise(setImmediate);
      controller.abort();
      assert.equal((await running).stopped, 'aborted');
      assert.equal(countRunning(), 0);
    }
  });
});

describe('a command in the sandbox', () => {
  test('cannot signal, trace or see what is outside', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const { pid } = process;
    const { output } = await run(`kill -0 ${pid}; kill -9 ${pid}; kill -STOP -1; ls /proc/${pid}; cat /proc/${pid}/mem; echo still here`);
    assert.equal(output.match(new RegExp(`\\(${pid}\\) - No such process`, 'g'))?.length, 2);
    assert.match(output, /still here\n$/);
    assert.ok(isRunning(pid));
  });

  test('shares no memory, semaphores or queues with another one', async (t) => {
    const { run } = await commands(t, { sandbox: true });
    const segment = (flags: string) => `perl -e 'print defined shmget(4711, 100, ${flags}) ? "there" : "none"'`;
    assert.equal((await run(`${segment('01600')}; ${segment('0')}`)).output, 'therethere');
    assert.equal((await run(`${segment('0')}; wc -l < /proc/sysvipc/shm`)).output, 'none1\n', 'a heading and no segment');
  });

  test('that signals all it can reach ends no other command', async (t) => {
    const { run, runner, request } = await commands(t, { sandbox: true });
    const other = runner.run(request(`${waitFor('go')}; echo survived`));
    await run('kill -9 1; kill -9 -1; kill -9 0');
    await run('touch go');
    assert.equal((await other).exitCode, 0);
  });

  test('may clean up when it is asked to stop, and its children too', async (t) => {
    const { run, countRunning } = await commands(t, { sandbox: true });
    const line = `sh -c 'trap "echo child; exit" TERM; sleep 1000 & wait' & trap 'wait; echo parent; exit' TERM; sleep 0.1; echo started; wait`;
    const { output, stopped } = await run(line, { timeoutMs: 1000 });
    assert.equal(output, 'started\nchild\nparent\n');
    assert.equal(stopped, 'timeout');
    assert.equal(countRunning(), 0);
  });
});

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
}
