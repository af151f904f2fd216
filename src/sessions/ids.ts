import { randomBytes } from 'node:crypto';

/** An opaque id that nobody can guess: 128 random bits behind a prefix. */
export function newId(prefix: 'ses' | 'turn'): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`;
}
