import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands, outputThat, PLACES, processesWith, waitFor } from './commands.ts';

for (const { place, sandbox } of PLACES) {
  describe(`the end of a command, ${place},`, () => {
    test('does not wait for a child that holds the output, and kills it', async (t) => {
      const { run, allEnded } = await commands(t, { sandbox });
      const { exitCode, stopped } = await run('sleep 1000 &');
      assert.equal(exitCode, 0);
      assert.equal(stopped, null);
      await allEnded();
    });

    test('leaves nothing of its process group, however deep', async (t) => {
      const { run, allEnded } = await commands(t, { sandbox });
      const { output } = await run('(sleep 1000 & echo $!; (sleep 1000 & echo $!) ) ; nohup sleep 1000 >/dev/null 2>&1 & echo $!');
      assert.equal(output.trim().split('\n').length, 3);
      await allEnded();
    });

    test('keeps all that was printed before it', async (t) => {
      const { run } = await commands(t, { sandbox });
      const { output } = await run(`seq 1 20000; (echo last; touch done; sleep 1000) & ${waitFor('done')}`);
      assert.equal(output, `${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\nlast\n`);
    });

    test('is not held up by a process that left the group', async (t) => {
      const { run, data } = await commands(t, { sandbox });
      const { output } = await run(`setsid sh -c 'touch gone; exec sleep 1000' & ${waitFor('gone')}; echo done`);
      assert.equal(output, 'done\n');
      const left = processesWith(data);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      assert.equal(left.length, sandbox ? 0 : 1);
    });
  });

  describe(`a command that is stopped, ${place},`, () => {
    test('by its timeout keeps what it printed', async (t) => {
      const { run, allEnded } = await commands(t, { sandbox });
      const { output, stopped, exitCode, signal } = await run('echo early; sleep 1000', { timeoutMs: 700 });
      assert.equal(stopped, 'timeout');
      assert.deepEqual([exitCode, signal, output], [null, 'SIGTERM', 'early\n']);
      await allEnded();
    });

    test('may clean up and say so', async (t) => {
      const { run } = await commands(t, { sandbox });
      const script = 'trap "echo cleaning; sleep 0.2; echo clean; exit 0" TERM; echo started; sleep 1000 & wait';
      const { output, stopped } = await run(script, { timeoutMs: 700 });
      assert.equal(output, 'started\ncleaning\nclean\n');
      assert.equal(stopped, 'timeout');
    });

    test('is killed when it ignores being asked', async (t) => {
      const { run, allEnded } = await commands(t, { sandbox, killGraceMs: 100 });
      const { signal, stopped } = await run(`trap '' TERM; while true; do sleep 0.05; done`, { timeoutMs: 500 });
      assert.deepEqual([signal, stopped], ['SIGKILL', 'timeout']);
      await allEnded();
      const paused = await run('kill -STOP $$', { timeoutMs: 500 });
      assert.deepEqual([paused.signal, paused.stopped], ['SIGKILL', 'timeout']);
    });

    test('by an abort ends with its whole group', async (t) => {
      const { runner, request, allEnded, countRunning } = await commands(t, { sandbox });
      const controller = new AbortController();
      const { seen, onOutput } = outputThat(/ready/);
      const running = runner.run(request('sleep 1000 & echo ready; sleep 1000', { signal: controller.signal, onOutput }));
      await seen;
      assert.ok(countRunning() >= 3);
      controller.abort();
      assert.equal((await running).stopped, 'aborted');
      await allEnded();
    });

    test('before it began never runs', async (t) => {
      const { runner, request, directory } = await commands(t, { sandbox });
      const result = await runner.run(request('touch ran', { signal: AbortSignal.abort() }));
      assert.deepEqual(result, { exitCode: null, signal: null, stopped: 'aborted', outputBytes: 0, cwd: null });
      await assert.rejects(readFile(join(directory, 'ran')), { code: 'ENOENT' });
    });
  });

  describe(`a flood of output, ${place},`, () => {
    test('is cut at the limit, byte for byte, and its program killed', async (t) => {
      const { run } = await commands(t, { sandbox });
      const { output, stopped, outputBytes } = await run('yes', { maxOutputBytes: 1_000_001 });
      assert.equal(stopped, 'output_limit');
      assert.equal(outputBytes, 1_000_001);
      assert.equal(output, `${'y\n'.repeat(500_000)}y`);
    });

    test('of 100 MB passes neither through the memory of the service nor of the helper', async (t) => {
      const { runner, request } = await commands(t, { sandbox });
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
      if (sandbox) return;
      const helper = request('grep VmHWM /proc/$PPID/status');
      await runner.run(helper);
      const kilobytes = Number(/\d+/.exec(await readFile(helper.outputFile, 'utf8'))?.[0]);
      assert.ok(kilobytes < 200_000, `the helper took ${kilobytes} kB`);
    });

    test('reaches its reader in pieces of bounded size, newest first to survive', async (t) => {
      const { run } = await commands(t, { sandbox });
      const { pieces, outputBytes } = await run('seq 1 3000000', { maxOutputBytes: 100_000_000 });
      assert.ok(pieces.every((piece) => piece.text.length <= 16_384));
      const last = pieces.at(-1);
      assert.equal((last?.offset ?? 0) + (last?.text.length ?? 0), outputBytes);
      assert.match(last?.text ?? '', /3000000\n$/);
    });
  });
}
