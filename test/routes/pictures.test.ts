// What a frontend can draw without knowing a tool, beside each call's own views.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, startServer, type Json } from '../support/server.ts';

test('calls of one tool in one batch are drawn together, and others are not', async (t) => {
  const server = await startServer(t);
  const id = await server.session();
  const { body: session } = await server.request('GET', `/v1/sessions/${id}`);
  for (const name of ['a', 'b']) await writeFile(join(session['workspace'].path, name), 'x');
  const read = (toolUseId: string, path: string): Json => call(toolUseId, 'Read', { file_path: path });
  const { body } = await server.post(id, [
    read('1', 'a'),
    read('2', 'b'),
    call('3', 'Glob', { pattern: '*' }),
    call('4', 'Bash', { command: 'touch c' }),
    read('5', 'a'),
  ]);
  assert.deepEqual(body['turn'].groups, [
    {
      batch: 0,
      name: 'Read',
      tool_use_ids: ['1', '2'],
      view: {
        title: 'Read',
        subtitle: '2 files',
        body: { kind: 'list', items: ['a', 'b'].map((name) => `Read ${join(session['workspace'].path, name)}`) },
      },
    },
  ]);
  assert.deepEqual(
    body['turn'].batches.map(({ tool_use_ids: ids }: Json) => ids),
    [['1', '2', '3'], ['4'], ['5']],
  );
});
