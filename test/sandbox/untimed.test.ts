import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands, outputThat, ownerOf, PLACES, waitFor } from './commands.ts';

for (const { place, sandbox } of PLACES) {
  describe(`a command whose time limit is lifted, ${place},`, () => {
    test('goes on past it, while one beside it is killed at its own', async (t) => {
      const { run, directory } = await commands(t, { sandbox });
      const untimed = new AbortController();
      const { seen, onOutput } = outputThat(/begun/);
      const line = `echo begun; ${waitFor('go')}; echo done`;
      const lifted = run(line, { timeoutMs: 1_500, untimed: untimed.signal, onOutput });
      await seen;
      untimed.abort();
      // It began after the other one, so that its end comes after the time of that.
      assert.equal((await run('sleep 1000', { timeoutMs: 1_500 })).stopped, 'timeout');
      await writeFile(join(directory, 'go'), '');
      const { stopped, exitCode, output } = await lifted;
      assert.deepEqual([stopped, exitCode, output], [null, 0, 'begun\ndone\n']);
    });

    test('before it has begun has none from the start', async (t) => {
      const { run, directory } = await commands(t, { sandbox });
      const lifted = run(`${waitFor('go')}; echo done`, { timeoutMs: 300, untimed: AbortSignal.abort() });
      assert.equal((await run('sleep 1000', { timeoutMs: 600 })).stopped, 'timeout');
      await writeFile(join(directory, 'go'), '');
      const { stopped, output } = await lifted;
      assert.deepEqual([stopped, output], [null, 'done\n']);
    });

    test('keeps its limit while the background is full, so that others get a place in the end', async (t) => {
      const { run, directory } = await commands(t, { sandbox, maxProcesses: 3 });
      const stop = new AbortController();
      const first = run('sleep 1000', { owner: ownerOf('one'), background: true, signal: stop.signal, untimed: AbortSignal.abort() });
      const moved = await run('sleep 1000', { owner: ownerOf('two'), timeoutMs: 300, untimed: AbortSignal.abort() });
      assert.equal(moved.stopped, 'timeout');
      stop.abort();
      assert.equal((await first).stopped, 'aborted');
      const second = run(`${waitFor('go')}; echo done`, { owner: ownerOf('two'), timeoutMs: 300, untimed: AbortSignal.abort() });
      assert.equal((await run('sleep 1000', { owner: ownerOf('one'), timeoutMs: 600 })).stopped, 'timeout');
      await writeFile(join(directory, 'go'), '');
      assert.equal((await second).output, 'done\n');
    });

    test('can still be stopped, with all it has started', async (t) => {
      const { runner, request, allEnded } = await commands(t, { sandbox });
      const [stop, untimed] = [new AbortController(), new AbortController()];
      const { seen, onOutput } = outputThat(/begun/);
      const running = runner.run(
        request('sleep 1000 & echo begun; sleep 1000', { signal: stop.signal, untimed: untimed.signal, onOutput }),
      );
      await seen;
      untimed.abort();
      stop.abort();
      assert.equal((await running).stopped, 'aborted');
      await allEnded();
    });
  });
}
