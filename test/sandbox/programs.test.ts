import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { commands, PLACES, processesWith, waitFor } from './commands.ts';

for (const { place, sandbox } of PLACES) {
  describe(`a program without a shell, ${place},`, () => {
    test('gets its arguments as they are and gives its output and exit code', async (t) => {
      const { runner, program, directory } = await commands(t, { sandbox });
      const echo = await runner.exec(program('printf', ['%s|', '$HOME', '*', 'a b', ';rm x']));
      assert.deepEqual(echo, { exitCode: 0, stdout: '$HOME|*|a b|;rm x|', stderr: '', truncated: false, stopped: null });
      const sh = await runner.exec(program('/bin/sh', ['-c', 'pwd; echo problem >&2; cat; exit 4']));
      assert.deepEqual(sh, { exitCode: 4, stdout: `${directory}\n`, stderr: 'problem\n', truncated: false, stopped: null });
    });

    test('is killed when it prints more than is kept, and a character is not cut in two', async (t) => {
      const { runner, program } = await commands(t, { sandbox });
      const flood = await runner.exec(program('yes', ['é'], { maxOutputBytes: 100_000 }));
      assert.equal(flood.truncated, true);
      assert.equal(flood.stopped, null);
      assert.equal(Buffer.byteLength(flood.stdout), 99_999);
      assert.ok(!flood.stdout.includes('\ufffd'));
    });

    test('exactly as long as the limit is whole', async (t) => {
      const { runner, program } = await commands(t, { sandbox });
      const whole = await runner.exec(program('head', ['-c', '200000', '/dev/zero'], { maxOutputBytes: 200_000 }));
      assert.equal(whole.truncated, false);
      assert.equal(whole.stdout.length, 200_000);
    });

    test('has at most 16 KiB of its errors kept, and goes on', async (t) => {
      const { runner, program } = await commands(t, { sandbox });
      const loud = await runner.exec(program('sh', ['-c', 'seq 1 100000 >&2; echo done']));
      assert.equal(loud.stderr.length, 16_384);
      assert.equal(loud.stdout, 'done\n');
      assert.equal(loud.exitCode, 0);
    });

    test('ends at its timeout and when it is aborted', async (t) => {
      const { runner, program } = await commands(t, { sandbox });
      const late = await runner.exec(program('sh', ['-c', 'echo early; sleep 1000'], { timeoutMs: 700 }));
      assert.deepEqual([late.stopped, late.stdout], ['timeout', 'early\n']);
      const controller = new AbortController();
      const running = runner.exec(program('sleep', ['1000'], { signal: controller.signal }));
      setImmediate(() => controller.abort());
      assert.equal((await running).stopped, 'aborted');
      assert.equal((await runner.exec(program('true', [], { signal: AbortSignal.abort() }))).stopped, 'aborted');
    });

    test('leaves nothing of its process group behind', async (t) => {
      const { runner, program, allEnded } = await commands(t, { sandbox });
      const { exitCode } = await runner.exec(program('sh', ['-c', 'sleep 1000 &']));
      assert.equal(exitCode, 0);
      await allEnded();
      const stubborn = 'trap "" TERM; sleep 1000 & wait; wait';
      const late = await runner.exec(program('sh', ['-c', stubborn], { timeoutMs: 500 }));
      assert.equal(late.stopped, 'timeout');
      await allEnded();
    });

    test('is not held up by a process that left its group with the output still open', async (t) => {
      const { runner, program, data } = await commands(t, { sandbox, killGraceMs: 100 });
      const line = `setsid sh -c 'touch /dev/shm/gone; exec sleep 1000' & ${waitFor('/dev/shm/gone')}; echo done; exit 3`;
      const { stdout, exitCode, stopped, truncated } = await runner.exec(program('sh', ['-c', line.replaceAll('gone', basename(data))]));
      await rm(join('/dev/shm', basename(data)), { force: true });
      assert.deepEqual({ stdout, exitCode, stopped, truncated }, { stdout: 'done\n', exitCode: 3, stopped: null, truncated: false });
      const left = processesWith(data);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      if (!sandbox) assert.equal(left.length, 1);
    });

    test('that is not there, or whose directory is not, says so', async (t) => {
      const { runner, program, directory } = await commands(t, { sandbox });
      await assert.rejects(runner.exec(program('nosuchprogram', [])), /no program nosuchprogram/);
      await assert.rejects(runner.exec(program('true', [], { cwd: join(directory, 'missing') })), /working directory .* does not exist/);
      await assert.rejects(runner.exec(program('true', ['x'.repeat(200_000)])), /too long/);
    });
  });
}
