// Work that a server says it is at, such as loading a project: until it is done, answers are missing or wrong.
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { createPulse } from './pulse.ts';
import { happens, type Bounds } from './within.ts';

/** Pieces of work at once; further ones are not waited for. */
const MAX_WORK = 100;

export interface Progress {
  /** Resolves when some work has begun, or after that time. @throws Error when the signal fires */
  begun(bounds: Bounds): Promise<void>;
  /** Resolves when nothing is under way, or it took that long: then it is not waited for again. @throws Error when the signal fires */
  still(bounds: Bounds): Promise<void>;
}

export function followProgress(connection: MessageConnection): Progress {
  const working = new Set<string | number>();
  const changed = createPulse();
  let hasBegun = false;
  connection.onUnhandledProgress(({ token, value }) => {
    const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined;
    if (kind === 'begin' && working.size < MAX_WORK) {
      working.add(token);
      hasBegun = true;
    }
    if (kind === 'end') working.delete(token);
    changed.beat();
  });
  const until = async (isSo: () => boolean, bounds: Bounds): Promise<boolean> => {
    const becomesSo = async (): Promise<void> => {
      while (!isSo()) await changed.next();
    };
    return happens(becomesSo(), bounds);
  };
  return {
    async begun(bounds) {
      await until(() => hasBegun, bounds);
    },
    async still(bounds) {
      if (await until(() => working.size === 0, bounds)) return;
      working.clear();
      changed.beat();
    },
  };
}
