// What a helper leaves beside the output of a command, for a process of the service that takes the command up again: before it
// can have any effect, who runs it; after its end, how it ended.
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import type { CommandResult } from '../../contract/index.ts';
import { identityOf, type ProcessIdentity } from './process-identity.ts';

/** First line of a record. A second one, `{group}`, follows when the command has started. */
export interface RecordHead {
  /** Where the numbers of processes hold. */
  readonly host: string;
  readonly helper: ProcessIdentity;
  /** Private directory of the helper, its socket in it. */
  readonly directory: string;
}

/** The message of `failed` is that of the error with which the command could not run. */
export type CommandExit = { readonly type: 'ran'; readonly result: CommandResult } | { readonly type: 'failed'; readonly message: string };

export interface CommandRecord {
  /** @param leader of the process group of the command */
  started(leader: number): void;
  /** Keeps how it ended, all or nothing. */
  ended(exit: CommandExit): void;
}

export function recordPath(outputFile: string): string {
  return `${outputFile}.run`;
}

export function exitPath(outputFile: string): string {
  return `${outputFile}.exit`;
}

export function socketPath(directory: string): string {
  return `${directory}/socket`;
}

/** @throws Error of the system: what cannot be taken up again must not begin */
export function openRecord(outputFile: string, head: RecordHead): CommandRecord {
  using opened = new DisposableStack();
  const descriptor = openSync(recordPath(outputFile), 'wx', 0o600);
  opened.defer(() => closeSync(descriptor));
  writeSync(descriptor, `${JSON.stringify(head)}\n`);
  const held = opened.move();
  return {
    started(leader) {
      try {
        writeSync(descriptor, `${JSON.stringify({ group: identityOf(leader) })}\n`);
      } catch {
        // The disk is full. It can be taken up all the same; only should the helper die too, less of it can be found.
      }
    },
    ended(exit) {
      held.dispose();
      const unfinished = `${exitPath(outputFile)}.new`;
      try {
        writeFileSync(unfinished, JSON.stringify(exit), { mode: 0o600 });
        renameSync(unfinished, exitPath(outputFile));
      } catch {
        // The disk is full, or the session and its directory are gone. The service still hears of the end if it is there.
      }
    },
  };
}
