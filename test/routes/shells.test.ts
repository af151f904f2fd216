// Real tools side by side: which calls share a batch, and what a failing shell does to the others.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test, type TestContext } from 'node:test';
import { assistant, call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';

let server: TestServer;
before(async (t) => {
  server = await startServer(t as TestContext);
});

const outcomes = (body: Json): string[] => body['turn'].calls.map((one: Json) => `${one['tool_use_id']} ${one['outcome']}`);
const shell = (id: string, command: string): Json => call(id, 'Bash', { command });

async function withFile(): Promise<string> {
  const session = await server.session();
  const { body } = await server.request('GET', `/v1/sessions/${session}`);
  await writeFile(join(body['workspace'].path, 'a.txt'), 'one\n');
  return session;
}

describe('a message of real tools', () => {
  test('runs in the batches that its calls make: three that read, an edit alone, three that read', async () => {
    const session = await withFile();
    const read = { file_path: 'a.txt' };
    const calls = [
      call('1', 'Grep', { pattern: 'one' }),
      call('2', 'Read', read),
      call('3', 'Read', read),
      call('4', 'Edit', { ...read, old_string: 'one', new_string: 'two' }),
      call('5', 'Glob', { pattern: '*' }),
      call('6', 'Read', read),
      shell('7', 'git status'),
    ];
    const batches = [
      { concurrent: true, tool_use_ids: ['1', '2', '3'] },
      { concurrent: false, tool_use_ids: ['4'] },
      { concurrent: true, tool_use_ids: ['5', '6', '7'] },
    ];
    const plan = await server.request('POST', `/v1/sessions/${session}/plan`, assistant(calls));
    assert.deepEqual(plan.body['batches'], batches);
    assert.deepEqual((await server.post(session, calls)).body['turn'].batches, batches);
  });

  test('has no more calls at once than its session allows', async () => {
    const session = await server.session({ execution: { max_concurrency: 1 } });
    const { body } = await server.post(session, [
      call('1', 'Bash', { command: 'sleep 0.3; ls' }),
      call('2', 'Bash', { command: 'sleep 0.1; ls' }),
      call('3', 'Bash', { command: 'sleep 0.1; ls' }),
    ]);
    assert.equal(body['turn'].batches.length, 1);
    const { body: log } = await server.request('GET', `/v1/sessions/${session}/events`, undefined, { accept: 'application/json' });
    const order = (log['data'] as Json[]).filter(({ type }) => type === 'call_started' || type === 'call_finished');
    assert.deepEqual(
      order.map((event) => `${event['type']} ${event['tool_use_id']}`),
      ['1', '2', '3'].flatMap((id) => [`call_started ${id}`, `call_finished ${id}`]),
    );
  });
});

describe('a shell that fails', () => {
  test('ends the other shells of its batch, which say which one it was, and no search', async () => {
    const { body } = await server.post(await withFile(), [
      shell('done', 'ls'),
      shell('bad', 'sleep 1; cat missing'),
      shell('long', 'sleep 60'),
      call('search', 'Glob', { pattern: '*.txt' }),
    ]);
    assert.deepEqual(outcomes(body), ['done ok', 'bad tool_error', 'long cancelled_sibling', 'search ok']);
    assert.match(resultsOf(body)[2] ?? '', /the parallel call bad \(Bash\)/);
    assert.match(resultsOf(body)[1] ?? '', /^bad: Exit code 1\n/);
  });

  test('has not failed where its exit code only says that nothing was found: the others go on', async () => {
    for (const found of ['grep two a.txt', 'cat a.txt | grep two', 'diff a.txt /dev/null', 'test -e missing', 'cmp a.txt /dev/null']) {
      const { body } = await server.post(await withFile(), [shell('nothing', found), shell('goes on', 'sleep 0.4; echo on')]);
      assert.deepEqual(outcomes(body), ['nothing ok', 'goes on ok'], found);
    }
  });

  test('leaves the others alone where the session says so', async () => {
    const session = await server.session({ execution: { on_tool_error: 'continue' } });
    const { body } = await server.post(session, [shell('bad', 'cat missing'), shell('long', 'sleep 0.5; echo on')]);
    assert.deepEqual(outcomes(body), ['bad tool_error', 'long ok']);
  });
});

test('files are removed by a shell alone: no tool does it, and a removal is told as what destroys', async () => {
  const { body } = await server.request('GET', '/v1/tools');
  const names = (body['tools'] as Json[]).map(({ name }) => name as string);
  for (const name of ['Read', 'Edit', 'Write', 'Bash']) assert.ok(names.includes(name), name);
  assert.deepEqual(
    names.filter((name) => /delete|remove|unlink/i.test(name)),
    [],
  );
  const session = await server.session({ permissions: { mode: 'default' }, sandbox: { auto_allow_bash: false } });
  const plan = await server.request('POST', `/v1/sessions/${session}/plan`, assistant([shell('a', 'rm -rf src'), shell('b', 'ls')]));
  assert.deepEqual(
    (plan.body['calls'] as Json[]).map(({ destructive, concurrency_safe: safe, permission }) => [destructive, safe, permission.behavior]),
    [
      [true, false, 'ask'],
      [false, true, 'allow'],
    ],
  );
});

test('a file that a rule denies shows neither its text nor whether it is there, whatever tool asks', async () => {
  const session = await server.session({ permissions: { mode: 'bypassPermissions', deny: ['Read(./secret*)'] } });
  const { body } = await server.request('GET', `/v1/sessions/${session}`);
  await writeFile(join(body['workspace'].path, 'secret-there.ipynb'), 'canary');
  const ask = async (path: string): Promise<string[]> => {
    const reply = await server.post(session, [
      call(`read ${path}`, 'Read', { file_path: path }),
      call(`write ${path}`, 'Write', { file_path: path, content: 'x' }),
      call(`edit ${path}`, 'Edit', { file_path: path, old_string: 'canary', new_string: 'x' }),
      call(`cells ${path}`, 'NotebookEdit', { notebook_path: path, new_source: 'x', cell_id: 'a' }),
      call(`search ${path}`, 'Grep', { pattern: 'canary', path }),
      call(`shell ${path}`, 'Bash', { command: `cat ${path}` }),
    ]);
    assert.ok(
      (reply.body['turn'].calls as Json[]).every(({ outcome }) => outcome === 'denied'),
      JSON.stringify(reply.body),
    );
    return resultsOf(reply.body).map((text) => text.replaceAll(path, 'PATH'));
  };
  const there = await ask('secret-there.ipynb');
  assert.deepEqual(there, await ask('secret-gone.ipynb'));
  assert.doesNotMatch(there.join(), /canary/);
});
