import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { call, resultsOf, startServer } from '../support/server.ts';

describe('over the wire', () => {
  test('the file that a cut result lies in can be read in mode default, and not written in acceptEdits', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    const cut = await server.post(session, [call('1', 'Bash', { command: 'seq 1 100000' })]);
    const file = /\/\S+\/outputs\/[\w-]+\.txt/.exec(resultsOf(cut.body)[0] ?? '')?.[0] ?? assert.fail('no path');
    await server.request('PATCH', `/v1/sessions/${session}`, { permissions: { mode: 'default' } });
    const read = await server.post(session, [call('2', 'Read', { file_path: file, limit: 1, offset: 99_999 })]);
    assert.match(resultsOf(read.body)[0] ?? '', /99999/);
    await server.request('PATCH', `/v1/sessions/${session}`, { permissions: { mode: 'acceptEdits' } });
    const { body } = await server.post(session, [call('3', 'Write', { file_path: file, content: 'x' })]);
    assert.equal(body['turn'].calls[0].outcome, 'denied');
  });

  test('a session writes into its additional directories in acceptEdits, and no further', async (t) => {
    const server = await startServer(t);
    const [workspace, additional, other] = ['workspace', 'additional', 'other'].map((name) => join(server.root, name));
    for (const path of [workspace, additional, other]) await mkdir(path ?? '');
    const session = await server.session({
      workspace: { path: workspace },
      permissions: { mode: 'acceptEdits', additional_dirs: [additional] },
    });
    const { body } = await server.post(session, [
      call('1', 'Write', { file_path: `${additional}/a.txt`, content: 'written' }),
      call('2', 'Write', { file_path: `${workspace}/..data/a.txt`, content: 'written' }),
      call('3', 'Write', { file_path: `${other}/a.txt`, content: 'written' }),
    ]);
    assert.deepEqual(
      body['turn'].calls.map((each: { outcome: string }) => each.outcome),
      ['ok', 'ok', 'denied'],
    );
    assert.match(resultsOf(body)[2] ?? '', /This session does not write .*other\/a\.txt: use a path inside of .*, or tell the user\./);
    assert.equal(await readFile(`${additional}/a.txt`, 'utf8'), 'written');
  });
});
