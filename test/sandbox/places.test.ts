import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands, outputThat, ownerOf } from './commands.ts';

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

  test('leaves places for the searches of another session, however long the commands of one run', async (t) => {
    const { runner, request, program } = await commands(t, { maxProcesses: 8 });
    const controller = new AbortController();
    const { signal } = controller;
    const long = Array.from({ length: 20 }, () => runner.run(request('sleep 1000', { owner: ownerOf('first', 'key'), signal })));
    const search = await runner.exec(program('echo', ['found'], { owner: ownerOf('second', 'key') }));
    assert.equal(search.stdout, 'found\n');
    controller.abort();
    assert.deepEqual(new Set((await Promise.all(long)).map(({ stopped }) => stopped)), new Set(['aborted']));
  });

  test('lets sessions that wait take turns', async (t) => {
    const { runner, request, directory } = await commands(t, { maxProcesses: 1 });
    const order = ['a', 'a', 'a', 'b', 'b', 'c'];
    await Promise.all(order.map((owner) => runner.run(request(`echo ${owner} >> log`, { owner: ownerOf(owner) }))));
    assert.equal(await readFile(join(directory, 'log'), 'utf8'), 'a\na\nb\nc\na\nb\n');
  });

  test('lets keys take turns, and within a key its sessions', async (t) => {
    const { runner, request, directory } = await commands(t, { maxProcesses: 1 });
    const order = ['a1', 'a1', 'a2', 'a3', 'b1', 'b1'];
    const run = (session: string) => runner.run(request(`echo ${session} >> log`, { owner: ownerOf(session, session.slice(0, 1)) }));
    await Promise.all(order.map(run));
    assert.equal(await readFile(join(directory, 'log'), 'utf8'), 'a1\na1\nb1\na2\nb1\na3\n');
  });

  test('tells how long it kept a command or program waiting, also one that has given up', async (t) => {
    const { runner, request, program } = await commands(t, { maxProcesses: 1 });
    const waited: number[] = [];
    const onWaited = (ms: number): void => void waited.push(ms);
    const [first, second] = [new AbortController(), new AbortController()];
    const { seen, onOutput } = outputThat(/started/);
    const startedAt = performance.now();
    const running = runner.run(request('echo started; sleep 1000', { signal: first.signal, onOutput, onWaited }));
    await seen;
    const others = [runner.exec(program('true', [], { onWaited })), runner.run(request('true', { onWaited, signal: second.signal }))];
    await sleep(300);
    second.abort();
    await others[1];
    first.abort();
    await Promise.all([running, ...others]);
    const [at = NaN, givenUp = NaN, late = NaN] = waited;
    assert.equal(waited.length, 3);
    assert.ok(at < givenUp && givenUp <= late && late < performance.now() - startedAt, waited.join(' '));
    assert.ok(givenUp >= 299, waited.join(' '));
  });

  test('is never used up by commands that nobody waits for', async (t) => {
    const { runner, request } = await commands(t, { maxProcesses: 2 });
    const controller = new AbortController();
    const { signal } = controller;
    const behind = [1, 2].map(() => runner.run(request('sleep 1000', { background: true, signal })));
    assert.equal((await runner.run(request('echo ran'))).exitCode, 0);
    controller.abort();
    assert.deepEqual(
      (await Promise.all(behind)).map(({ stopped }) => stopped),
      ['aborted', 'aborted'],
    );
  });

  test('does not count the time of waiting as time of the command or program', async (t) => {
    const { runner, request, program } = await commands(t, { maxProcesses: 1 });
    const first = runner.run(request('sleep 1'));
    const short = { timeoutMs: 900 };
    const [command, other] = await Promise.all([runner.run(request('true', short)), runner.exec(program('true', [], short)), first]);
    assert.deepEqual([command.stopped, other.stopped], [null, null]);
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
