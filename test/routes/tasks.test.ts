import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../support/process.ts';
import { assistant, call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

/** What stands in the first words of whatever the tests start: by it the processes are found. */
const MARK = `toolexec-task-${process.pid}`;
/** A line in a process that is found by its name: in a sandbox, numbers of processes are others. */
const named = (name: string, line: string): string => `exec -a ${MARK}-${name} bash -c '${line}'`;
const UNTIL_GO = 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo done';

/** Process ids by the name that a command has given itself. */
async function processesNamed(name: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((id) => /^\d+$/.test(id));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.startsWith(`${MARK}-${name}\0`)).map(Number);
}

/** Looks again and again until there is something. @throws Error when there never is */
async function until<Found>(look: () => Promise<Found | undefined | false>): Promise<Found> {
  const late = performance.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > late) throw new Error('What the test waits for did not happen.');
    await sleep(10);
  }
}

const runs = (name: string): Promise<true> => until(async () => (await processesNamed(name)).length > 0);
const gone = (name: string): Promise<true> => until(async () => (await processesNamed(name)).length === 0);

/** A session with its workspace, and short ways to its tasks. */
async function open(server: TestServer, options: Json = {}) {
  const id = await server.session(options);
  const { body } = await server.request('GET', `/v1/sessions/${id}`);
  const path = `/v1/sessions/${id}/tasks`;
  const task = async (taskId: string): Promise<Json> => (await server.request('GET', `${path}/${taskId}`, undefined, JSON_ONLY)).body;
  let calls = 0;
  return {
    id,
    path,
    workspace: body['workspace'].path as string,
    go: () => writeFile(join(body['workspace'].path as string, 'go'), ''),
    /** @returns the id of the task */
    async start(command: string): Promise<string> {
      const reply = await server.post(id, [call(`start-${(calls += 1)}`, 'Bash', { command, run_in_background: true })]);
      return /task_[0-9a-f]{32}/.exec(resultsOf(reply.body)[0] ?? '')?.[0] ?? assert.fail(JSON.stringify(reply.body));
    },
    printed: (taskId: string, text: string) => until(async () => String((await task(taskId))['output']).includes(text)),
    ended: (taskId: string): Promise<Json> =>
      until(async () => {
        const now = await task(taskId);
        return now['status'] !== 'running' && now;
      }),
    async events(type: string): Promise<Json[]> {
      const { body: log } = await server.request('GET', `/v1/sessions/${id}/events`, undefined, JSON_ONLY);
      return (log['data'] as Json[]).filter((event) => event['type'] === type);
    },
  };
}

const JSON_ONLY = { accept: 'application/json' };

async function dataDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('tasks over the service', async (t) => {
  const server = await startServer(t, { tools: [workTool()] });

  await t.test('are listed with what runs and what has ended, and the log tells of the end', async () => {
    const session = await open(server);
    assert.deepEqual((await server.request('GET', session.path)).body, { data: [] });
    const done = await session.start('echo é; exit 3');
    const running = await session.start(UNTIL_GO);
    const end = await session.ended(done);
    const { output, offset, next_offset: next, ...task } = end;
    assert.deepEqual([output, offset, next], ['é\n', 0, 3]);
    assert.deepEqual([task['kind'], task['status'], task['exit_code'], task['output_bytes']], ['command', 'failed', 3, 3]);
    const { data } = (await server.request('GET', session.path)).body;
    assert.deepEqual(data[1], task);
    assert.deepEqual([data[0].id, data[0].status], [running, 'running']);
    const [event, ...others] = await session.events('task_finished');
    assert.deepEqual(event?.['task'], task);
    assert.deepEqual(others, []);
    await session.go();
    assert.equal((await session.ended(running))['status'], 'completed');
    assert.equal((await session.events('task_finished')).length, 2);
  });

  await t.test('show their output while it grows: all of it, from an offset on, and by ranges', async () => {
    const session = await open(server);
    const id = await session.start(UNTIL_GO);
    await session.printed(id, 'begun');
    const read = async (query: string, headers: Record<string, string> = {}) => {
      const reply = await fetch(`${server.url}${session.path}/${id}${query}`, { headers });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    };
    const whole = await read('');
    assert.deepEqual([whole.status, whole.text], [200, 'begun\n']);
    assert.match(whole.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(whole.headers.get('toolexec-task-status'), 'running');
    assert.deepEqual([(await read('?offset=6')).status, (await read('?offset=6')).text], [200, '']);
    const early = await read('', { range: 'bytes=6-' });
    assert.deepEqual([early.status, early.headers.get('content-range')], [416, 'bytes */6']);
    await session.go();
    await session.ended(id);
    const rest = await read('', { range: 'bytes=6-' });
    assert.deepEqual([rest.status, rest.headers.get('content-range'), rest.text], [206, 'bytes 6-10/11', 'done\n']);
    assert.equal((await read('?offset=8', { range: 'bytes=0-4' })).text, 'begun', 'a range counts from the beginning');
    const last = await read('?offset=8');
    assert.deepEqual([last.text, last.headers.get('toolexec-task-status')], ['ne\n', 'completed']);
    assert.equal((await read('?offset=x')).status, 400);
  });

  await t.test('are shown as JSON in parts that hold whole characters', async () => {
    const session = await open(server);
    const id = await session.start('printf "%0.s😀" {1..300000}');
    await session.ended(id);
    let text = '';
    for (let offset = 0; ;) {
      const { body } = await server.request('GET', `${session.path}/${id}?offset=${offset}`, undefined, JSON_ONLY);
      assert.equal(body['offset'], offset);
      text += body['output'];
      if (body['next_offset'] === offset) break;
      offset = body['next_offset'];
    }
    assert.equal(text, '😀'.repeat(300_000));
  });

  await t.test('are stopped by anyone who may, twice if need be, and that is answered when they have ended', async () => {
    const session = await open(server);
    const id = await session.start(`echo begun; sleep 1000 & ${named('stop', 'sleep 1000; true')}`);
    await runs('stop');
    const stopped = await server.request('POST', `${session.path}/${id}/stop`);
    assert.deepEqual([stopped.status, stopped.body['status']], [200, 'stopped']);
    await gone('stop');
    assert.equal((await server.request('POST', `${session.path}/${id}/stop`)).body['status'], 'stopped');
    assert.equal((await session.events('task_finished')).length, 1);
    for (const [method, path] of [
      ['GET', '/task_none'],
      ['POST', '/task_none/stop'],
    ] as const) {
      const { status, body } = await server.request(method, session.path + path);
      assert.deepEqual([status, body['type']], [404, '/problems/task-not-found']);
    }
  });

  await t.test('let a model look and stop by tools that nobody is asked about', async () => {
    const session = await open(server, { permissions: { mode: 'default', allow: ['Bash'], ask_timeout_ms: 0 } });
    const id = await session.start('echo one; sleep 1000');
    await session.printed(id, 'one');
    const { body } = await server.post(session.id, [
      call('look', 'TaskOutput', { task_id: id, block: false }),
      call('stop', 'TaskStop', { task_id: id }),
    ]);
    assert.deepEqual(resultsOf(body), [`look: Task ${id}: running\none`, `stop: Task ${id} was stopped.`]);
    const reply = await server.post(session.id, [call('again', 'TaskOutput', { task_id: id })]);
    assert.deepEqual(resultsOf(reply.body), [`again: Task ${id}: stopped\n(nothing new)`]);
  });

  await t.test('have an output file that Read can open', async () => {
    const session = await open(server);
    const reply = await server.post(session.id, [call('a', 'Bash', { command: UNTIL_GO, run_in_background: true })]);
    const [text = ''] = resultsOf(reply.body);
    const path = /written to (\S+),/.exec(text)?.[1] ?? assert.fail(text);
    await session.printed(/task_[0-9a-f]+/.exec(text)?.[0] ?? '', 'begun');
    assert.match(resultsOf((await server.post(session.id, [call('b', 'Read', { file_path: path })])).body)[0] ?? '', /\tbegun/);
    await session.go();
  });

  await t.test('are at most as many as the operator lets run', async (part) => {
    const small = await startServer(part, { env: await withLimits(part, { tasks_per_session: 1 }) });
    const session = await open(small);
    await session.start('sleep 1000');
    const { body } = await small.post(session.id, [call('more', 'Bash', { command: 'touch ran', run_in_background: true })]);
    assert.equal(body['turn'].calls[0].outcome, 'tool_error');
    assert.match(resultsOf(body)[0] ?? '', /1 tasks run in the background/);
    const held = small.post(session.id, [call('held', 'Bash', { command: UNTIL_GO })]);
    const turn = await executing(small, session.id, 'held');
    const moved = await small.request('POST', `/v1/sessions/${session.id}/turns/${turn}/calls/held/background`);
    assert.deepEqual([moved.status, moved.body['type']], [429, '/problems/too-many-requests']);
    await session.go();
    assert.match(resultsOf((await held).body)[0] ?? '', /done$/);
  });

  await t.test('leave nothing behind when their session is deleted', async () => {
    const session = await open(server);
    await session.start(`sleep 1000 & ${named('delete', 'sleep 1000; true')}`);
    await runs('delete');
    assert.equal((await server.request('DELETE', `/v1/sessions/${session.id}`)).status, 204);
    assert.deepEqual(await processesNamed('delete'), []);
    assert.equal((await server.request('GET', session.path)).status, 404);
  });
});

test('a running call over the service', async (t) => {
  const server = await startServer(t, { tools: [workTool()] });

  await t.test('is moved to the background: its turn ends at once, and an abort of that does not touch it', async () => {
    const session = await open(server);
    const posted = server.post(session.id, [
      call('build', 'Bash', { command: named('move', UNTIL_GO.replaceAll("'", '')) }),
      call('wait', 'Work', { ms: 60_000, safe: false }),
    ]);
    const turn = await executing(server, session.id, 'build');
    const path = `/v1/sessions/${session.id}/turns/${turn}/calls`;
    await runs('move');
    const [pid] = await processesNamed('move');
    const moved = await server.request('POST', `${path}/build/background`);
    assert.deepEqual([moved.status, moved.body['turn'].id], [202, turn]);
    await executing(server, session.id, 'wait');
    assert.equal((await server.request('POST', `/v1/sessions/${session.id}/turns/${turn}/abort`)).status, 202);
    const { body } = await posted;
    assert.deepEqual(
      body['turn'].calls.map((one: Json) => one['outcome']),
      ['ok', 'aborted'],
    );
    const id = /task_[0-9a-f]{32}/.exec(resultsOf(body)[0] ?? '')?.[0] ?? assert.fail(JSON.stringify(body));
    // A child of it has its name for a moment, until it is the program that it runs.
    assert.ok(pid !== undefined && (await processesNamed('move')).includes(pid));
    await session.go();
    const task = await session.ended(id);
    assert.deepEqual([task['status'], task['output']], ['completed', 'begun\ndone\n']);
    const whole = await server.request('GET', `${path}/build/output`);
    assert.equal(whole.body['text'], 'begun\ndone\n', 'the output of the call is that of the task');
  });

  await t.test('of a tool that cannot go on in the background is left as it is', async () => {
    const session = await open(server);
    const posted = server.post(session.id, [call('work', 'Work', { ms: 1_000, label: 'x' })]);
    const turn = await executing(server, session.id, 'work');
    const path = `/v1/sessions/${session.id}/turns/${turn}/calls`;
    const refused = await server.request('POST', `${path}/work/background`);
    assert.deepEqual([refused.status, refused.body['type']], [400, '/problems/invalid-request']);
    assert.match(refused.body['detail'], /^Work cannot go on in the background/);
    assert.equal((await server.request('POST', `${path}/none/background`)).body['type'], '/problems/call-not-found');
    assert.deepEqual(resultsOf((await posted).body), ['work: done x']);
    const late = await server.request('POST', `${path}/work/background`);
    assert.deepEqual([late.status, late.body['type']], [404, '/problems/call-not-found']);
  });

  await t.test('is moved by a frame of the socket as well, which is told when the task ends', async () => {
    const session = await open(server);
    const socket = await server.socket(`/v1/sessions/${session.id}/stream`);
    socket.send({ type: 'message', message: assistant([call('build', 'Bash', { command: UNTIL_GO })]) });
    await socket.until((frame) => frame['type'] === 'progress' && String(frame['data'].text).includes('begun'));
    socket.send({ type: 'background', tool_use_id: 'nope', ref: 1 });
    const wrong = await socket.until((frame) => frame['type'] === 'error');
    assert.deepEqual([wrong['ref'], wrong['problem'].type], [1, '/problems/call-not-found']);
    socket.send({ type: 'background', tool_use_id: 'build', ref: 2 });
    await socket.until((frame) => frame['type'] === 'ack' && frame['ref'] === 2);
    const completed = await socket.type('turn_completed');
    assert.equal(completed['turn'].calls[0].outcome, 'ok');
    await session.go();
    const { task } = await socket.type('task_finished');
    assert.deepEqual([task.status, task.exit_code, task.output_bytes], ['completed', 0, 11]);
  });
});

test('a restart in order stops what runs in the background, leaves nothing of it, and remembers it with its output', async (t) => {
  const dataDir = await dataDirectory(t);
  const first = await startServer(t, { dataDir });
  const session = await open(first);
  const id = await session.start(`echo printed; ${named('close', 'sleep 1000; true')}`);
  await runs('close');
  await first.close();
  assert.deepEqual(await processesNamed('close'), []);
  const second = await startServer(t, { dataDir });
  const { body } = await second.request('GET', `${session.path}/${id}`, undefined, JSON_ONLY);
  assert.deepEqual([body['status'], body['output']], ['stopped', 'printed\n']);
  const { body: log } = await second.request('GET', `/v1/sessions/${session.id}/events`, undefined, JSON_ONLY);
  assert.equal(log['data'].filter((event: Json) => event['type'] === 'task_finished').length, 1);
});

test('a restart after kill -9 finds what ran then running still, and stops it when that is wanted, which is told once', async (t) => {
  const dataDir = await dataDirectory(t);
  const first = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
  const ask = async (url: string, method: string, path: string, body?: unknown): Promise<Json> => {
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
    const reply = await fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return (await reply.json()) as Json;
  };
  const session = await ask(first.url, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
  const path = `/v1/sessions/${session['id']}`;
  const command = `echo printed; ${named('kill', 'sleep 1000; true')}`;
  // The one before it has the row of the session kept, so that the row is not written again only because it is old.
  await ask(first.url, 'POST', `${path}/messages`, assistant([call('a', 'Bash', { command: 'true' })]));
  await ask(first.url, 'POST', `${path}/messages`, assistant([call('b', 'Bash', { command, run_in_background: true })]));
  await runs('kill');
  await first.end('SIGKILL');
  const second = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
  const { data: running } = await ask(second.url, 'GET', `${path}/tasks`);
  assert.deepEqual([running.length, running[0].status], [1, 'running']);
  await ask(second.url, 'POST', `${path}/tasks/${running[0].id}/stop`);
  await gone('kill');
  const { data } = await ask(second.url, 'GET', `${path}/tasks`);
  assert.equal(data[0].status, 'stopped');
  assert.equal((await ask(second.url, 'GET', `${path}/tasks/${data[0].id}`))['output'], 'printed\n');
  const told = await until(async () => {
    const log = await ask(second.url, 'GET', `${path}/events`);
    const ends = (log['data'] as Json[]).filter((event) => event['type'] === 'task_finished');
    return ends.length > 0 && ends;
  });
  assert.deepEqual(
    told.map((event) => event['task']),
    [data[0]],
  );
});

/** Resolves when this call runs. @returns its turn */
function executing(server: TestServer, sessionId: string, toolUseId: string): Promise<string> {
  return until(async () => {
    const { body } = await server.request('GET', `/v1/sessions/${sessionId}/turns?limit=1`);
    const turn = (body['data'] as Json[])[0];
    const one = (turn?.['calls'] as Json[] | undefined)?.find(({ tool_use_id: id }) => id === toolUseId);
    return one?.['state'] === 'executing' && (turn?.['id'] as string);
  });
}
