// If-Match and If-None-Match (RFC 9110, 13): what a client wants to be there, or not, when something is changed.
import type { IncomingHttpHeaders } from 'node:http';
import { Problem, type Precondition } from '../src/contract/index.ts';

/** @returns `undefined` when nothing is asked for */
export function preconditionOf({ 'if-match': wanted, 'if-none-match': unwanted }: IncomingHttpHeaders): Precondition | undefined {
  if (wanted === undefined && unwanted === undefined) return undefined;
  return (etag) => {
    if (wanted !== undefined && !names(wanted, etag)) {
      throw failed(
        etag === null
          ? 'There is nothing at this path, so If-Match does not hold.'
          : 'It is not, or no longer, what If-Match names: read it again.',
      );
    }
    if (unwanted !== undefined && isKnown(unwanted, etag)) {
      throw failed('There is something at this path already, which If-None-Match excludes.');
    }
  };
}

/** For reading: whether the client has what is there already. */
export function isKnown(header: string | undefined, etag: string | null): boolean {
  return header !== undefined && names(header.replaceAll(/\bW\/(?=")/g, ''), etag);
}

/** Weak validators never match: they promise too little for a change. */
function names(header: string, etag: string | null): boolean {
  if (etag === null) return false;
  if (header.trim() === '*') return true;
  return [...header.matchAll(/(W\/)?("[^"]*")/g)].some(([, weak, tag]) => weak === undefined && tag === etag);
}

function failed(detail: string): Problem {
  return new Problem('precondition-failed', detail);
}
