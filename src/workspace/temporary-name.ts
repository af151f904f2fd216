import { randomBytes } from 'node:crypto';

const NAME = /^\.toolexec-[0-9a-f]{24}\.tmp$/;

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
