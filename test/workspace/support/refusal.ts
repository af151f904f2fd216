import assert from 'node:assert/strict';
import { FileError } from '../../../src/contract/index.ts';

/** The FileError that a call ends with; fails when it ends otherwise, or when its message tells of our own workings. */
export async function refusalOf(promise: Promise<unknown>): Promise<FileError> {
  const error = await promise.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof FileError, `expected a FileError, got ${String(error)}`);
  assert.doesNotMatch(error.message, /self\/fd\/|\.tmp/);
  return error;
}
