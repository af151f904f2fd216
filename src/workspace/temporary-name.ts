import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';

const NAME = /^\.toolexec-[0-9a-f]{24}\.tmp$/;

/** Makes a new file that only this process knows; never through a link. */
export const OPEN_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** A name for what is written beside a file and then takes its place. */
export function temporaryName(): string {
  return `.toolexec-${randomBytes(12).toString('hex')}.tmp`;
}

/**
 * Whether something is what a crash has left of a write: it has such a name, and nobody has touched it since this process
 * began. Only for directories that no other process of the service writes to.
 * @param mtimeMs milliseconds since 1970
 */
export function isLeftOver(name: string, { mtimeMs }: { readonly mtimeMs: number }): boolean {
  return NAME.test(name) && mtimeMs < performance.timeOrigin;
}
