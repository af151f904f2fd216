// Which faults count as an outage of the store, that a client may try again after, and which are left as they are.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '../../src/contract/index.ts';
import { openError, storeError } from '../../src/store/sqlite-errors.ts';

const sqlite = (errcode: number): Error => Object.assign(new Error('sqlite'), { errcode });
const system = (code: string): Error => Object.assign(new Error('system'), { code });

describe('a fault of the store', () => {
  test('is an outage when the file or the disk is to blame, also in a finer code', () => {
    const outages: [Error, RegExp][] = [
      [sqlite(5), /locked by another process/],
      [sqlite(7), /no memory left/],
      [sqlite(8), /read-only/],
      [sqlite(10), /answers with errors/],
      [sqlite(10 + 256 * 3), /answers with errors/],
      [sqlite(11), /damaged/],
      [sqlite(13), /disk is full/],
      [sqlite(14), /cannot be opened/],
      [sqlite(26), /damaged/],
      [system('ENOSPC'), /disk is full/],
      [system('EDQUOT'), /quota/],
      [system('EFBIG'), /may not grow/],
      [system('EIO'), /answers with errors/],
      [system('EROFS'), /read-only/],
    ];
    for (const [cause, says] of outages) {
      const problem = storeError(cause);
      assert.ok(problem instanceof Problem, cause.message);
      assert.deepEqual([problem.code, problem.cause], ['store-unavailable', cause]);
      assert.match(problem.message, says);
    }
  });

  test('stays what it is when the statement is to blame, or nobody knows', () => {
    for (const error of [sqlite(1), sqlite(19), sqlite(0), system('ENOENT'), new Error('x'), 'text', undefined, null, { code: 'ENOSPC' }])
      assert.equal(storeError(error), error);
  });

  test('on opening says what to do with the file', () => {
    const said = (error: unknown): string => openError('/data/store.sqlite', error).message;
    assert.match(said(sqlite(5)), /^The store file \/data\/store\.sqlite is in use by another process: stop that one/);
    for (const code of [11, 26]) assert.match(said(sqlite(code)), /is damaged or not a database: restore a backup/);
    for (const error of [sqlite(14), system('EACCES')])
      assert.match(said(error), /cannot be opened for reading and writing \(.+\): check its directory/);
  });
});
