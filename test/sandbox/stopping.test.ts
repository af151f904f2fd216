import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands, ended, isRunning, outputThat, waitFor } from './commands.ts';

describe('the end of a command', () => {
  test('does not wait for a child that holds the output, and kills it', async (t) => {
    const { run } = await commands(t);
    const { output, exitCode, stopped } = await run('sleep 1000 & echo $!');
    assert.equal(exitCode, 0);
    assert.equal(stopped, null);
    await ended(Number(output));
  });

  test('leaves nothing of its process group, however deep', async (t) => {
    const { run } = await commands(t);
    const { output } = await run('(sleep 1000 & echo $!; (sleep 1000 & echo $!) ) ; nohup sleep 1000 >/dev/null 2>&1 & echo $!');
    const pids = output.trim().split('\n').map(Number);
    assert.equal(pids.length, 3);
    await Promise.all(pids.map(ended));
  });

  test('keeps all that was printed before it', async (t) => {
    const { run } = await commands(t);
    const { output } = await run(`seq 1 20000; (echo last; touch done; sleep 1000) & ${waitFor('done')}`);
    assert.equal(output, `${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\nlast\n`);
  });

  test('is not held up by a process that left the group', async (t) => {
    const { run } = await commands(t);
    const { output } = await run(`setsid sh -c 'echo $$; touch gone; exec sleep 1000' & ${waitFor('gone')}; echo done`);
    const [pid = '', last] = output.trim().split('\n');
    t.after(() => process.kill(Number(pid), 'SIGKILL'));
    assert.equal(last, 'done');
    assert.ok(isRunning(Number(pid)));
  });
});

describe('a command that is stopped', () => {
  test('by its timeout keeps what it printed', async (t) => {
    const { run } = await commands(t);
    const { output, stopped, exitCode, signal } = await run('echo $$; sleep 1000', { timeoutMs: 700 });
    assert.equal(stopped, 'timeout');
    assert.deepEqual([exitCode, signal], [null, 'SIGTERM']);
    await ended(Number(output));
  });

  test('may clean up and say so', async (t) => {
    const { run } = await commands(t);
    const script = 'trap "echo cleaning; sleep 0.2; echo clean; exit 0" TERM; echo started; sleep 1000 & wait';
    const { output, stopped } = await run(script, { timeoutMs: 700 });
    assert.equal(output, 'started\ncleaning\nclean\n');
    assert.equal(stopped, 'timeout');
  });

  test('is killed when it ignores being asked', async (t) => {
    const { run } = await commands(t, { killGraceMs: 100 });
    const { output, signal, stopped } = await run(`trap '' TERM; echo $$; while true; do sleep 0.05; done`, { timeoutMs: 500 });
    assert.deepEqual([signal, stopped], ['SIGKILL', 'timeout']);
    await ended(Number(output));
    const paused = await run('kill -STOP $$', { timeoutMs: 500 });
    assert.deepEqual([paused.signal, paused.stopped], ['SIGKILL', 'timeout']);
  });

  test('by an abort ends with its whole group', async (t) => {
    const { runner, request } = await commands(t);
    const controller = new AbortController();
    const { seen, onOutput } = outputThat(/\d+\n\d+\n/);
    const running = runner.run(request('sleep 1000 & echo $!; echo $$; sleep 1000', { signal: controller.signal, onOutput }));
    const pids = (await seen).trim().split('\n').map(Number);
    controller.abort();
    assert.equal((await running).stopped, 'aborted');
    await Promise.all(pids.map(ended));
  });

  test('before it began never runs', async (t) => {
    const { runner, request, directory } = await commands(t);
    const result = await runner.run(request('touch ran', { signal: AbortSignal.abort() }));
    assert.deepEqual(result, { exitCode: null, signal: null, stopped: 'aborted', outputBytes: 0, cwd: null });
    await assert.rejects(readFile(join(directory, 'ran')), { code: 'ENOENT' });
  });
});

describe('a flood of output', () => {
  test('is cut at the limit, byte for byte, and its program killed', async (t) => {
    const { run } = await commands(t);
    const { output, stopped, outputBytes } = await run('yes', { maxOutputBytes: 1_000_001 });
    assert.equal(stopped, 'output_limit');
    assert.equal(outputBytes, 1_000_001);
    assert.equal(output, `${'y\n'.repeat(500_000)}y`);
  });

  test('of 100 MB passes neither through the memory of the service nor of the helper', async (t) => {
    const { runner, request } = await commands(t);
    await runner.run(request('true'));
    const before = process.memoryUsage().rss;
    let peak = before;
    let received = 0;
    const flood = request('head -c 100000000 /dev/zero | tr "\\0" x', {
      maxOutputBytes: 200_000_000,
      onOutput: ({ text }) => {
        received += text.length;
        peak = Math.max(peak, process.memoryUsage().rss);
      },
    });
    const result = await runner.run(flood);
    peak = Math.max(peak, process.memoryUsage().rss);
    assert.equal(result.outputBytes, 100_000_000);
    assert.ok(peak - before < 40_000_000, `the service grew by ${peak - before} bytes`);
    assert.ok(received < 20_000_000, `${received} characters were sent`);
    const helper = request('grep VmHWM /proc/$PPID/status');
    await runner.run(helper);
    const kilobytes = Number(/\d+/.exec(await readFile(helper.outputFile, 'utf8'))?.[0]);
    assert.ok(kilobytes < 200_000, `the helper took ${kilobytes} kB`);
  });

  test('reaches its reader in pieces of bounded size, newest first to survive', async (t) => {
    const { run } = await commands(t);
    const { pieces, outputBytes } = await run('seq 1 3000000', { maxOutputBytes: 100_000_000 });
    assert.ok(pieces.every((piece) => piece.text.length <= 16_384));
    const last = pieces.at(-1);
    assert.equal((last?.offset ?? 0) + (last?.text.length ?? 0), outputBytes);
    assert.match(last?.text ?? '', /3000000\n$/);
  });
});
