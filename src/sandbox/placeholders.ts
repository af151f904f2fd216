// Keeps paths that are not there from being made: an empty directory stands in their place while commands run, and is a mount
// point inside the sandbox. Empty directories are what version control and most programs do not notice.
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';

export interface Placeholders {
  /** Whether what is there now is one of ours. */
  has(path: string): boolean;
  /** Puts one up, or shares the one that is there, until it is disposed of. False where nothing can be made: no command can either. */
  hold(path: string, until: DisposableStack): boolean;
}

/** One for all sessions of a process: two may work in the same directory. */
export function createPlaceholders(): Placeholders {
  const holders = new Map<string, number>();

  function release(path: string): void {
    const left = (holders.get(path) ?? 0) - 1;
    if (left > 0) {
      holders.set(path, left);
      return;
    }
    holders.delete(path);
    try {
      rmdirSync(path);
    } catch {
      // Somebody outside of the sandbox has put something into it, or removed it: then it is theirs.
    }
  }

  return {
    has: (path) => holders.has(path),
    hold(path, until) {
      const before = holders.get(path) ?? 0;
      if (before === 0 && !make(path)) return existsSync(path);
      holders.set(path, before + 1);
      until.defer(() => release(path));
      return true;
    },
  };
}

function make(path: string): boolean {
  try {
    mkdirSync(path, 0o755);
    return true;
  } catch {
    // Its parent is not to be written, or somebody was quicker.
    return false;
  }
}
