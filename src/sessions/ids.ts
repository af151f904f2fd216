import { randomUUID } from 'node:crypto';

/** An opaque id that nobody can guess: 122 random bits behind a prefix. */
export function newId(prefix: 'ses' | 'turn' | 'apr' | 'task'): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}
