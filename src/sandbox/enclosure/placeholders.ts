// Keeps paths that are not there from being made: an empty directory stands in their place while commands run, and is a mount
// point inside the sandbox. Empty directories are what version control and most programs do not notice. Where git looks for a
// file it is one, which says what git does without it.
import { existsSync, lstatSync, mkdirSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';

export interface Placeholders {
  /** Whether what is there now is one of ours. */
  has(path: string): boolean;
  /** Puts one up, or shares the one that is there, until it is disposed of. False where nothing can be made: no command can either. */
  hold(path: string, until: DisposableStack): boolean;
}

/** Files that git reads, by their end. The settings that all worktrees share are then those of this very directory. */
const FILES: readonly (readonly [end: RegExp, text: string])[] = [
  [/\/\.git\/(.+\/)?commondir$/, '.\n'],
  [/\/\.git\/(.+\/)?config\.worktree$/, ''],
];

interface Held {
  holders: number;
  /** Of the file or directory that was put up. */
  readonly inode: number;
}

/** One for all sessions of a process: two may work in the same directory. */
export function createPlaceholders(): Placeholders {
  const held = new Map<string, Held>();

  function release(path: string): void {
    const own = held.get(path);
    if (own === undefined) return;
    own.holders -= 1;
    if (own.holders > 0) return;
    held.delete(path);
    try {
      if (fileText(path) === undefined) rmdirSync(path);
      else if (isUntouched(path, own)) unlinkSync(path);
    } catch {
      // Somebody outside of the sandbox has put something into it, or removed it: then it is theirs.
    }
  }

  return {
    has: (path) => held.has(path),
    hold(path, until) {
      const own = held.get(path);
      if (own !== undefined) own.holders += 1;
      else {
        const inode = make(path);
        if (inode === undefined) return existsSync(path);
        held.set(path, { holders: 1, inode });
      }
      until.defer(() => release(path));
      return true;
    },
  };
}

function fileText(path: string): string | undefined {
  return FILES.find(([end]) => end.test(path))?.[1];
}

function isUntouched(path: string, { inode }: Held): boolean {
  const { ino, size } = lstatSync(path);
  return ino === inode && size === fileText(path)?.length;
}

/** @returns its inode; `undefined` when its parent is not to be written, or somebody was quicker */
function make(path: string): number | undefined {
  try {
    const text = fileText(path);
    if (text === undefined) mkdirSync(path, 0o755);
    else writeFileSync(path, text, { flag: 'wx', mode: 0o644 });
    return lstatSync(path).ino;
  } catch {
    // The caller sees that nothing of ours is there.
    return undefined;
  }
}
