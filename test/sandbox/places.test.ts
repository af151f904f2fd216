import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands, outputThat } from './commands.ts';

describe('the limit on processes', () => {
  test('lets no more run at once', async (t) => {
    const { runner, request, directory } = await commands(t, { maxProcesses: 2 });
    const log = join(directory, 'log');
    await appendFile(log, '');
    const runs = Array.from({ length: 6 }, (_, index) => request(`echo "+${index}" >> log; sleep 0.1; echo "-${index}" >> log`));
    await Promise.all(runs.map((each) => runner.run(each)));
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    let running = 0;
    for (const line of lines) {
      running += line.startsWith('+') ? 1 : -1;
      assert.ok(running <= 2, lines.join(' '));
    }
  });

  test('takes what waits in the order in which it came', async (t) => {
    const { runner, request, directory } = await commands(t, { maxProcesses: 1 });
    await Promise.all(Array.from({ length: 8 }, (_, index) => runner.run(request(`echo ${index} >> log`))));
    assert.equal(await readFile(join(directory, 'log'), 'utf8'), '0\n1\n2\n3\n4\n5\n6\n7\n');
  });

  test('is left at once by a command that is aborted while it waits', async (t) => {
    const { runner, request, directory } = await commands(t, { maxProcesses: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const { seen, onOutput } = outputThat(/started/);
    const running = runner.run(request('echo started; sleep 1000', { signal: first.signal, onOutput }));
    await seen;
    const waiting = runner.run(request('touch ran', { signal: second.signal }));
    const third = runner.run(request('echo third > third'));
    second.abort();
    assert.equal((await waiting).stopped, 'aborted');
    first.abort();
    assert.equal((await running).stopped, 'aborted');
    assert.equal((await third).exitCode, 0);
    assert.equal(await readFile(join(directory, 'third'), 'utf8'), 'third\n');
    await assert.rejects(readFile(join(directory, 'ran')), { code: 'ENOENT' });
  });

  test('counts programs too', async (t) => {
    const { runner, request, program } = await commands(t, { maxProcesses: 1 });
    const controller = new AbortController();
    const { seen, onOutput } = outputThat(/started/);
    const running = runner.run(request('echo started; sleep 1000', { signal: controller.signal, onOutput }));
    await seen;
    const waiting = runner.exec(program('echo', ['hello']));
    controller.abort();
    await running;
    assert.equal((await waiting).stdout, 'hello\n');
  });
});
