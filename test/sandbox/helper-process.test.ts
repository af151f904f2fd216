import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { describe, test } from 'node:test';
import { commands, ended, ENV, isRunning, outputThat, processesWith } from './commands.ts';

describe('when the helper dies', () => {
  test('its commands answer with an error and are killed, and the next one runs', async (t) => {
    const { runner, request, run } = await commands(t);
    const { seen, onOutput } = outputThat(/\d+\n\d+\n\d+\n/);
    const running = runner.run(request('echo $PPID; echo $$; sleep 1000 & echo $!; wait', { onOutput }));
    const [helper = 0, ...pids] = (await seen).trim().split('\n').map(Number);
    process.kill(helper, 'SIGKILL');
    await assert.rejects(running, /helper process .* ended \(SIGKILL\).* may have taken effect/);
    await Promise.all(pids.map(ended));
    assert.equal((await run('echo again')).output, 'again\n');
    assert.notEqual(Number((await run('echo $PPID')).output), helper);
  });

  test('what it has only just started is killed too, a command as well as a program', async (t) => {
    const { runner, request, program, run } = await commands(t);
    for (let round = 0; round < 6; round += 1) {
      const helper = Number((await run('echo $PPID')).output);
      const env = { ...ENV, MARK: `round ${round} of ${t.fullName} in ${process.pid}` };
      const doomed = [1, 2, 3].map(() => runner.run(request('exec sleep 1000', { env })));
      const answers = Promise.allSettled([...doomed, runner.exec(program('sleep', ['1000'], { env }))]);
      await setImmediate();
      // Keeps this process from hearing of what was started.
      for (const endMs = performance.now() + 1 + round; performance.now() < endMs;);
      process.kill(helper, 'SIGKILL');
      assert.deepEqual(new Set((await answers).map(({ status }) => status)), new Set(['rejected']));
      await Promise.all(processesWith(env.MARK).map(ended));
    }
  });

  test('those of another helper go on', async (t) => {
    const { runner, request } = await commands(t, { helpers: 2 });
    const first = outputThat(/\d+\n/);
    const second = outputThat(/\d+\n/);
    const doomed = runner.run(request('echo $PPID; sleep 1000', { onOutput: first.onOutput }));
    const helper = Number(await first.seen);
    const spared = runner.run(request('echo $PPID; while [ ! -e go ]; do sleep 0.05; done', { onOutput: second.onOutput }));
    assert.notEqual(Number(await second.seen), helper);
    process.kill(helper, 'SIGKILL');
    await assert.rejects(doomed, /helper process/);
    assert.equal((await runner.run(request('touch go'))).exitCode, 0);
    assert.equal((await spared).exitCode, 0);
  });

  test('signals that are meant for the service do not end it', async (t) => {
    const { run } = await commands(t);
    const { output } = await run('kill -INT $PPID; kill -TERM $PPID; kill -HUP $PPID; sleep 0.2; echo $PPID');
    assert.equal((await run('echo $PPID')).output, output);
  });
});

describe('when the service ends', () => {
  test('by closing, what runs is killed and later commands are refused', async (t) => {
    const { runner, request } = await commands(t);
    const { seen, onOutput } = outputThat(/\d+\n\d+\n/);
    const running = assert.rejects(runner.run(request('echo $PPID; echo $$; sleep 1000', { onOutput })), /was closed/);
    const pids = (await seen).trim().split('\n').map(Number);
    await runner.close();
    await running;
    await Promise.all(pids.map(ended));
    await assert.rejects(runner.run(request('true')), /was closed/);
  });

  test('by kill -9, the helper kills everything, cleans up and goes', async (t) => {
    const { directory } = await commands(t);
    const source = `
      import { startCommandRunner } from ${JSON.stringify(new URL('../../src/sandbox/command-runner.ts', import.meta.url).href)};
      const runner = startCommandRunner();
      runner.run({
        command: 'cat /proc/$PPID/cmdline; echo; echo $PPID; echo $$; sleep 1000',
        cwd: ${JSON.stringify(directory)}, env: ${JSON.stringify(ENV)}, outputFile: ${JSON.stringify(join(directory, 'orphan'))},
        timeoutMs: 100000, maxOutputBytes: 1000000, signal: new AbortController().signal,
        onOutput: () => console.log('running'),
      });`;
    const service = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => service.kill('SIGKILL'));
    for await (const line of createInterface(service.stdout)) if (line === 'running') break;
    let lines: string[] = [];
    while (lines.length < 4) lines = (await readFile(join(directory, 'orphan'), 'utf8')).split('\n');
    const [words = '', helper = '', shell = ''] = lines;
    const place = words.split('\0').find((word) => word.includes('toolexec-commands-')) ?? '';
    assert.ok(isRunning(Number(helper)) && isRunning(Number(shell)) && existsSync(place));
    service.kill('SIGKILL');
    await Promise.all([ended(Number(helper)), ended(Number(shell))]);
    assert.equal(existsSync(place), false);
  });
});
