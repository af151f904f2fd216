import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { TaskEnd, TaskPlace, TaskStart, TaskSummary } from '../../src/contract/index.ts';
import { SessionTasks, type SessionTasksOptions } from '../../src/sessions/tasks/background-tasks.ts';

const NEVER = new AbortController().signal;

async function sessionTasks(t: TestContext, options: Partial<SessionTasksOptions> = {}) {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-tasks-')));
  const told: TaskSummary[] = [];
  const outputFileFor = (id: string): string => join(directory, `${id}.txt`);
  const make = (): SessionTasks => new SessionTasks({ outputFileFor, onEnded: (task) => void told.push(task), ...options });
  const tasks = make();
  t.after(async () => {
    await tasks.close();
    await rm(directory, { recursive: true, force: true });
  });
  return { directory, told, make, tasks };
}

/** A task that goes on until it is told how it ends, or must end. */
function held(about: Partial<TaskStart> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<TaskEnd>();
  const placed = Promise.withResolvers<TaskPlace>();
  const start: TaskStart = {
    kind: 'command',
    ...about,
    run(place) {
      placed.resolve(place);
      place.signal.addEventListener('abort', () => resolve({ status: 'stopped' }));
      return promise;
    },
  };
  return { start, placed: placed.promise, end: resolve, fail: reject };
}

describe('a background task', () => {
  test('is listed while it runs and after, newest first, and its end is told', async (t) => {
    const { tasks, told } = await sessionTasks(t);
    const [one, two] = [held({ command: 'npm run dev', description: 'Start it' }), held({ kind: 'agent' })];
    const first = tasks.start(one.start);
    const second = tasks.start(two.start);
    assert.match(first.id, /^task_[0-9a-f]{32}$/);
    assert.deepEqual(
      tasks.list().map(({ id, status }) => [id, status]),
      [
        [second.id, 'running'],
        [first.id, 'running'],
      ],
    );
    await writeFile((await one.placed).outputFile, 'printed');
    assert.equal(tasks.get(first.id)?.output_bytes, 7);
    one.end({ status: 'failed', exitCode: 3 });
    const { id, started_at: startedAt, ended_at: endedAt, ...ended } = await tasks.ended(first.id, NEVER);
    assert.equal(id, first.id);
    const about = { kind: 'command', command: 'npm run dev', description: 'Start it' };
    assert.deepEqual(ended, { ...about, status: 'failed', exit_code: 3, output_bytes: 7 });
    assert.ok(endedAt !== undefined && endedAt >= startedAt);
    assert.deepEqual(told, [tasks.get(first.id)]);
    assert.equal(tasks.running, 1);
  });

  test('that throws has failed, and its output ends with why', async (t) => {
    const { tasks } = await sessionTasks(t);
    const task = held();
    const { id } = tasks.start(task.start);
    await writeFile((await task.placed).outputFile, 'half');
    task.fail(new Error('the disk is full'));
    assert.equal((await tasks.ended(id, NEVER)).status, 'failed');
    assert.equal(await readFile(tasks.outputFile(id), 'utf8'), 'half\nthe disk is full\n');
    const thrown = tasks.start({
      kind: 'agent',
      run() {
        throw new Error('at once');
      },
    });
    assert.equal((await tasks.ended(thrown.id, NEVER)).status, 'failed');
    assert.equal((await tasks.read(thrown.id, 0, 100)).text, 'at once\n');
  });

  test('is stopped once, whoever asks again, and what it throws then is no failure', async (t) => {
    const { tasks, told } = await sessionTasks(t);
    const task = held();
    const { id } = tasks.start(task.start);
    (await task.placed).signal.addEventListener('abort', () => task.fail(new Error('aborted')));
    const [one, two] = await Promise.all([tasks.stop(id), tasks.stop(id)]);
    assert.deepEqual([one.status, two.status, (await tasks.stop(id)).status], ['stopped', 'stopped', 'stopped']);
    assert.equal(told.length, 1);
    assert.equal((await tasks.read(id, 0, 100)).size, 0);
  });

  test('that does not obey counts as stopped when its time is over', async (t) => {
    const { tasks } = await sessionTasks(t, { stopMs: 20 });
    const { id } = tasks.start({ kind: 'agent', run: () => new Promise(() => {}) });
    assert.equal((await tasks.stop(id)).status, 'stopped');
    assert.equal(tasks.running, 0);
  });

  test('is waited for until it ends or the wait is over, and goes on after that', async (t) => {
    const { tasks } = await sessionTasks(t);
    const task = held();
    const { id } = tasks.start(task.start);
    const [short, long] = [new AbortController(), new AbortController()];
    const waits = [tasks.ended(id, short.signal), tasks.ended(id, long.signal)] as const;
    short.abort();
    assert.equal((await waits[0]).status, 'running');
    task.end({ status: 'completed', exitCode: 0 });
    assert.equal((await waits[1]).status, 'completed');
  });

  test('of no such id is refused with the ids there are', async (t) => {
    const { tasks } = await sessionTasks(t);
    await assert.rejects(tasks.stop('task_x'), /no task "task_x"\. It has none\./);
    const { id } = tasks.start(held().start);
    for (const refused of [tasks.read('nope', 0, 10), tasks.ended('nope', NEVER), tasks.stop('nope')]) {
      await assert.rejects(refused, { message: `The session has no task "nope". There are: ${id}.` });
    }
    assert.equal(tasks.get('nope'), undefined);
  });
});

describe('the tasks of a session', () => {
  test('are as many as may run, and there is room again when one has ended', async (t) => {
    const { tasks } = await sessionTasks(t);
    const all = Array.from({ length: 16 }, () => held());
    const started = all.map(({ start }) => tasks.start(start));
    assert.ok(tasks.full);
    assert.throws(() => tasks.start(held().start), /^Error: 16 tasks run .* as many as may\./);
    await tasks.stop(started[3]?.id ?? '');
    assert.ok(!tasks.full);
    tasks.start(held().start);
  });

  test('are remembered up to the last 100 that have ended, in the order in which they ended, and their output with them', async (t) => {
    const { tasks, directory } = await sessionTasks(t);
    const long = tasks.start(held().start);
    const quick = async (): Promise<string> => {
      const { id } = tasks.start({
        kind: 'command',
        async run({ outputFile }) {
          await writeFile(outputFile, 'output');
          return { status: 'completed', exitCode: 0 };
        },
      });
      await tasks.ended(id, NEVER);
      return id;
    };
    const first = await quick();
    for (let count = 0; count < 100; count += 1) await quick();
    assert.equal(tasks.get(first), undefined);
    assert.equal(tasks.list().length, 101);
    assert.equal(tasks.list().at(-1)?.id, long.id);
    while ((await readdir(directory)).includes(`${first}.txt`)) await setImmediate();
    assert.equal((await readdir(directory)).length, 100);
  });

  test('are kept short: what people read of a task is cut', async (t) => {
    const { tasks } = await sessionTasks(t);
    tasks.start(held({ command: 'x'.repeat(100_000), description: 'y'.repeat(100_000) }).start);
    assert.ok(JSON.stringify(tasks.summaries()).length < 3_000);
  });

  test('all end when the session does, and none begins after', async (t) => {
    const { tasks, told } = await sessionTasks(t);
    for (let count = 0; count < 3; count += 1) tasks.start(held().start);
    await tasks.close();
    assert.deepEqual(
      told.map(({ status }) => status),
      ['stopped', 'stopped', 'stopped'],
    );
    assert.throws(() => tasks.start(held().start), /session ends/);
  });

  test('come back after a restart with their output: what ran then was stopped, and that is told', async (t) => {
    const { directory, tasks, told, make } = await sessionTasks(t);
    const moved = join(directory, 'call.txt');
    await writeFile(moved, 'printed before\n');
    const done = tasks.start({ kind: 'command', run: async () => ({ status: 'completed', exitCode: 0 }) });
    await tasks.ended(done.id, NEVER);
    const ran = tasks.start(held({ outputFile: moved }).start);
    const kept = JSON.parse(JSON.stringify(tasks.summaries())) as ReturnType<SessionTasks['summaries']>;
    told.length = 0;
    const after = make();
    after.restore(kept);
    const stopped = await after.ended(ran.id, NEVER);
    assert.deepEqual([stopped.status, stopped.output_bytes], ['stopped', 15]);
    assert.deepEqual(told, [stopped]);
    assert.deepEqual(after.list(), [stopped, tasks.get(done.id)]);
    assert.equal((await after.read(ran.id, 0, 100)).text, 'printed before\n');
    assert.equal(after.running, 0);
  });
});

describe('the output of a task', () => {
  test('is read in parts of any size that hold whole characters and join to the whole', async (t) => {
    const { tasks } = await sessionTasks(t);
    const task = held();
    const { id } = tasks.start(task.start);
    const whole = 'aé€😀'.repeat(20);
    await writeFile((await task.placed).outputFile, whole);
    for (let maxBytes = 1; maxBytes < 12; maxBytes += 1) {
      let text = '';
      for (let offset = 0; offset < Buffer.byteLength(whole);) {
        const part = await tasks.read(id, offset, maxBytes);
        assert.ok(part.nextOffset > offset && part.nextOffset - part.offset <= Math.max(4, maxBytes));
        text += part.text;
        offset = part.nextOffset;
      }
      assert.equal(text, whole);
    }
    // From inside of the euro sign on.
    assert.deepEqual(await tasks.read(id, 4, 5), { text: '😀a', offset: 6, nextOffset: 11, size: 200, passedOver: 0 });
  });

  test('holds back half of a character while more may come, and shows bytes that are no text in the end', async (t) => {
    const { tasks } = await sessionTasks(t);
    const task = held();
    const { id } = tasks.start(task.start);
    const { outputFile } = await task.placed;
    const euro = Buffer.from('€');
    await writeFile(outputFile, Buffer.concat([Buffer.from('a'), euro.subarray(0, 2)]));
    assert.equal((await tasks.read(id, 'news', 100)).text, 'a');
    await appendFile(outputFile, euro.subarray(2));
    await appendFile(outputFile, Buffer.from([0xe2]));
    assert.equal((await tasks.read(id, 'news', 100)).text, '€');
    task.end({ status: 'completed', exitCode: 0 });
    await tasks.ended(id, NEVER);
    assert.equal((await tasks.read(id, 'news', 100)).text, '\ufffd');
    assert.equal((await tasks.read(id, 'news', 100)).text, '');
  });

  test('is news once, and the newest of it where there is more than was asked for', async (t) => {
    const { tasks } = await sessionTasks(t);
    const task = held();
    const { id } = tasks.start(task.start);
    assert.deepEqual(await tasks.read(id, 'news', 10), { text: '', offset: 0, nextOffset: 0, size: 0, passedOver: 0 });
    const { outputFile } = await task.placed;
    await writeFile(outputFile, 'one ');
    assert.equal((await tasks.read(id, 'news', 10)).text, 'one ');
    await appendFile(outputFile, 'two three four');
    const { text, passedOver, offset } = await tasks.read(id, 'news', 10);
    assert.deepEqual([text, passedOver, offset], ['three four', 4, 8]);
    assert.equal((await tasks.read(id, 'news', 10)).text, '');
    assert.equal((await tasks.read(id, 4, 5)).text, 'two t', 'what was passed over is still there');
  });

  test('is never read or written through a link that stands in its place', async (t) => {
    const { directory, tasks } = await sessionTasks(t);
    const secret = join(directory, 'secret');
    await writeFile(secret, 'secret');
    const task = held();
    const { id } = tasks.start(task.start);
    await symlink(secret, (await task.placed).outputFile);
    await assert.rejects(tasks.read(id, 0, 10), { code: 'ELOOP' });
    task.fail(new Error('failed'));
    assert.equal((await tasks.ended(id, NEVER)).status, 'failed');
    assert.equal(await readFile(secret, 'utf8'), 'secret');
  });
});
