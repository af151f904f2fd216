// What a tool that puts a file in the place of another says before it does, and how it is told after a crash whether it did.
// That a call has said it proves that the session knew the file: its memory of that is lost with a crash, and comes back here.
import type { FileSnapshot, Intent, ProbeAnswer, SessionFiles, ToolResult } from '../../contract/index.ts';
import { digestBytes, HASHED_BYTES } from './digest.ts';

export interface Replacement {
  readonly path: string;
  /** Digest of the file that is there; `null` where there is none. */
  readonly before: string | null;
  readonly bytes: Buffer;
  /** What the session remembers of that file, where it must. */
  readonly seen?: FileSnapshot;
  /** What the call will say when it is done. */
  readonly said: string;
}

export function replacementIntent({ path, before, bytes, seen, said }: Replacement): Intent {
  // A file that is known by more than its bytes cannot be told in advance.
  const after = bytes.length > HASHED_BYTES ? null : digestBytes(bytes);
  return { path, before, after, said, ...(seen && { seen: seen.hash, whole: Number(seen.whole) }) };
}

export interface Search<Output> {
  readonly files: SessionFiles;
  readonly intent: Intent | undefined;
  /** The call knows all of the file that it puts there, however little was read of the former one. */
  readonly writesAll?: boolean;
  readonly outputOf: (path: string, intent: Intent) => Output;
}

/** @throws FileError when nobody can look */
export async function findReplacement<Output>({ files, intent, ...search }: Search<Output>): Promise<ProbeAnswer<Output>> {
  if (typeof intent?.['path'] !== 'string') return { kind: 'unclear' };
  const { path, before, after, said, seen } = intent;
  const present = await files.look(path);
  const whole = intent['whole'] !== 0;
  if (present !== null && present.hash === after) {
    // A file that had changed before is still known only as it was read.
    const hash = typeof seen === 'string' && seen !== before ? seen : present.hash;
    files.remember(present.path, { hash, mtimeMs: present.mtimeMs, size: present.size, whole: whole || search.writesAll === true });
    const result: ToolResult<Output> = { content: String(said), output: search.outputOf(present.path, intent) };
    return { kind: 'applied', result };
  }
  if ((present?.hash ?? null) !== before) return { kind: 'unclear' };
  if (present !== null && typeof seen === 'string') {
    files.remember(present.path, { hash: seen, mtimeMs: present.mtimeMs, size: present.size, whole });
  }
  return { kind: 'not_applied' };
}
