import type { FastifyInstance } from 'fastify';
import { FileError, Problem, type FileErrorCode, type ProblemCode } from '../src/contract/index.ts';

/** `io` is a fault of the service's own, which its log tells of. */
const CODES: Readonly<Record<Exclude<FileErrorCode, 'io'>, ProblemCode>> = {
  not_found: 'file-not-found',
  outside: 'forbidden',
  denied: 'forbidden',
  not_a_file: 'file-conflict',
  exists: 'file-conflict',
  changed: 'file-conflict',
};

/** For the routes of one scope: what files cannot do is told as a problem. */
export function tellFileErrors(scope: FastifyInstance): void {
  scope.setErrorHandler((error) => {
    throw error instanceof FileError && error.code !== 'io' ? new Problem(CODES[error.code], error.message) : error;
  });
}
