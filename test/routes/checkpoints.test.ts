// Checkpoints over REST, of what the file tools of the real service write.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { careful } from '../support/test-tools.ts';
import { treeOf } from '../workspace/support/history-world.ts';

interface Project {
  readonly id: string;
  readonly workspace: string;
  /** Runs calls in a turn of their own; fails unless all end well. @returns the id of the turn */
  readonly turn: (...calls: [name: string, input: Json][]) => Promise<string>;
  readonly checkpoints: () => Promise<Json[]>;
  readonly rewind: (turnId: string, query?: string) => Promise<{ status: number; body: Json }>;
}

let count = 0;

async function project(server: TestServer, options: Json = {}): Promise<Project> {
  const id = await server.session(options);
  const workspace = (await server.request('GET', `/v1/sessions/${id}`)).body['workspace'].path as string;
  const checkpoints = async () => (await server.request('GET', `/v1/sessions/${id}/checkpoints`)).body['data'] as Json[];
  return {
    id,
    workspace,
    checkpoints,
    async turn(...calls) {
      const { body } = await server.post(
        id,
        calls.map(([name, input]) => call(`toolu_${(count += 1)}`, name, input)),
      );
      assert.ok(
        body['turn'].calls.every(({ outcome }: Json) => outcome === 'ok'),
        JSON.stringify(body['messages']),
      );
      return body['turn'].id as string;
    },
    async rewind(turnId, query = '') {
      const checkpoint = (await checkpoints()).find(({ turn_id }) => turn_id === turnId)?.['id'] as string;
      return server.request('POST', `/v1/sessions/${id}/checkpoints/${checkpoint}/rewind${query}`);
    },
  };
}

test('checkpoints', async (t) => {
  const server = await startServer(t, { tools: [careful] });

  await t.test('stand for the turns that wrote, newest first', async () => {
    const { turn, checkpoints } = await project(server);
    assert.deepEqual(await checkpoints(), []);
    const first = await turn(['Write', { file_path: 'a', content: '1' }], ['Write', { file_path: 'below/b', content: '1' }]);
    await turn(['Read', { file_path: 'a' }]);
    const second = await turn(['Edit', { file_path: 'a', old_string: '1', new_string: '2' }], ['Read', { file_path: 'a' }]);
    const data = await checkpoints();
    assert.deepEqual(
      data.map(({ turn_id, files }) => [turn_id, files]),
      [
        [second, ['a']],
        [first, ['a', 'below/b']],
      ],
    );
    for (const checkpoint of data) {
      assert.deepEqual(Object.keys(checkpoint), ['id', 'turn_id', 'created_at', 'files']);
      assert.match(checkpoint['id'], /^cp_\w+$/);
      assert.match(checkpoint['created_at'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });

  await t.test('are ways back to before each turn, byte for byte', async () => {
    const { workspace, turn, rewind } = await project(server);
    await writeFile(join(workspace, 'crlf.txt'), 'one\r\ntwo\r\n');
    await writeFile(join(workspace, 'bom.sh'), '\uFEFFecho\n');
    await writeFile(join(workspace, 'binary'), Buffer.from([0, 1, 2, 255]));
    await chmod(join(workspace, 'bom.sh'), 0o755);
    await turn(['Read', { file_path: 'crlf.txt' }], ['Read', { file_path: 'bom.sh' }]);
    const trees = [await treeOf(workspace)];
    const turns: string[] = [];
    const next = async (...calls: [string, Json][]) => {
      turns.push(await turn(...calls));
      trees.push(await treeOf(workspace));
    };
    await next(
      ['Edit', { file_path: 'crlf.txt', old_string: 'two', new_string: 'three' }],
      ['Write', { file_path: 'new/a', content: 'a' }],
    );
    await next(['Write', { file_path: 'bom.sh', content: 'whole' }], ['Write', { file_path: 'new/b', content: 'b' }]);
    await next(['Edit', { file_path: 'new/a', old_string: 'a', new_string: 'A' }], ['Write', { file_path: 'crlf.txt', content: 'x' }]);
    const [first = '', second = '', third = ''] = turns;
    const trial = await rewind(first, '?dry_run=true');
    assert.deepEqual(trial.body, { restored: ['crlf.txt', 'bom.sh'], removed: ['new/a', 'new/b'], skipped: [] });
    assert.deepEqual(await treeOf(workspace), trees[3]);
    const rewound = { [third]: { restored: ['crlf.txt', 'new/a'], removed: [] }, [second]: { restored: ['bom.sh'], removed: ['new/b'] } };
    for (const [id, lists] of Object.entries(rewound)) {
      const { status, body } = await rewind(id);
      assert.deepEqual([status, body['restored'].toSorted(), body['removed'], body['skipped']], [200, lists.restored, lists.removed, []]);
      assert.deepEqual(await treeOf(workspace), trees[turns.indexOf(id)]);
    }
    assert.equal((await rewind(first)).status, 200);
    assert.deepEqual(await treeOf(workspace), trees[0]);
  });

  await t.test('make the model read a file again before it changes it', async () => {
    const { id, turn, rewind } = await project(server);
    await turn(['Write', { file_path: 'a', content: 'first' }]);
    const second = await turn(['Write', { file_path: 'a', content: 'second' }]);
    assert.deepEqual((await rewind(second)).body['restored'], ['a']);
    const { body } = await server.post(id, [
      call('w', 'Write', { file_path: 'a', content: 'third' }),
      call('e', 'Edit', { file_path: 'a', old_string: 'second', new_string: 'third' }),
      call('r', 'Edit', { file_path: 'a', old_string: 'first', new_string: 'third', replace_all: true }),
    ]);
    const [write = '', edit = '', replaced = ''] = resultsOf(body);
    assert.match(write, /a has changed since it was read\. Read it again/);
    assert.match(edit, /not found|does not stand|no match/i);
    assert.match(replaced, /a has changed since it was read/);
    await turn(['Read', { file_path: 'a' }], ['Write', { file_path: 'a', content: 'third' }]);
  });

  await t.test('are not gone back to while a turn runs or waits, unless on trial', async () => {
    const { id, turn, rewind } = await project(server, { permissions: { mode: 'default', allow: ['Write'] } });
    const written = await turn(['Write', { file_path: 'a', content: 'new' }]);
    const { body: waiting } = await server.post(id, [call('c', 'Careful', { text: 'x' })]);
    assert.equal(waiting['turn'].status, 'requires_action');
    const refused = await rewind(written);
    assert.deepEqual([refused.status, refused.body['type']], [409, '/problems/file-conflict']);
    assert.match(refused.body['detail'], /abort it, or wait for its end/);
    assert.deepEqual((await rewind(written, '?dry_run=true')).body['removed'], ['a']);
    await server.request('POST', `/v1/sessions/${id}/turns/${waiting['turn'].id}/abort`, {});
    await server.request('GET', `/v1/sessions/${id}/turns/${waiting['turn'].id}`, undefined, { prefer: 'wait=30' });
    assert.deepEqual((await rewind(written)).body['removed'], ['a']);
  });

  await t.test('that are not there are a problem', async () => {
    const { id } = await project(server);
    const { status, body } = await server.request('POST', `/v1/sessions/${id}/checkpoints/cp_none/rewind`);
    assert.deepEqual([status, body['type']], [404, '/problems/checkpoint-not-found']);
    assert.equal((await server.request('POST', `/v1/sessions/${id}/checkpoints/cp_none/rewind?dry_run=maybe`)).status, 400);
    assert.equal((await server.request('GET', '/v1/sessions/ses_none/checkpoints')).status, 404);
  });

  await t.test('lie where no call of the session can read or write', async () => {
    const { id, turn } = await project(server);
    await turn(['Write', { file_path: 'a', content: 'x' }]);
    const manifest = join(server.dataDir, 'sessions', id, 'history/manifest.jsonl');
    assert.ok((await stat(manifest)).isFile());
    const { body } = await server.post(id, [
      call('r', 'Read', { file_path: manifest }),
      call('w', 'Write', { file_path: manifest, content: '' }),
    ]);
    assert.deepEqual(
      body['turn'].calls.map(({ is_error }: Json) => is_error),
      [true, true],
    );
    await server.request('DELETE', `/v1/sessions/${id}`);
    assert.deepEqual(
      (await readdir(join(server.dataDir, 'sessions'))).filter((name) => name === id),
      [],
    );
  });
});

test('checkpoints survive a restart of the service, and are their owner’s alone', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const first = await startServer(t, { dataDir });
  const made = await project(first);
  const turn = await made.turn(['Write', { file_path: 'a', content: '1' }]);
  const known = await made.checkpoints();
  await first.close();
  const env = { TOOLEXEC_API_KEYS: 'bob:second-secret' };
  const second = await startServer(t, { dataDir });
  assert.deepEqual((await second.request('GET', `/v1/sessions/${made.id}/checkpoints`)).body['data'], known);
  const rewound = await second.request('POST', `/v1/sessions/${made.id}/checkpoints/${known[0]?.['id']}/rewind`);
  assert.deepEqual([known[0]?.['turn_id'], rewound.body], [turn, { restored: [], removed: ['a'], skipped: [] }]);
  await second.close();
  const third = await startServer(t, { dataDir, env });
  const path = `/v1/sessions/${made.id}/checkpoints`;
  const bob = { authorization: 'Bearer second-secret' };
  assert.equal((await third.request('GET', path, undefined, bob)).status, 404);
  assert.equal((await third.request('POST', `${path}/${known[0]?.['id']}/rewind`, undefined, bob)).status, 404);
});
