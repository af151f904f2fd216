// Reads what a helper has left beside an output. Without a sandbox a command can write there too, so that it is checked.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { parsedJson } from '../../contract/index.ts';
import { exitPath, recordPath, type CommandExit, type RecordHead } from './command-record.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** Longer than any: a path and an error's text are the longest that stands in one. */
const MAX_BYTES = 65_536;

const identity = z.object({ pid: z.int().positive(), start: z.string().nullable() });
/** As `startHelperProcess` makes them: what is no such directory is not looked into. */
const headSchema = z.object({
  host: z.string(),
  helper: identity,
  directory: z.string().regex(/^\/[^\0]*\/toolexec-commands-[A-Za-z0-9]{6}$/),
});
const groupSchema = z.object({ group: identity });
const exitSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ran'),
    result: z.object({
      exitCode: z.int().nullable(),
      signal: z.string().nullable(),
      stopped: z.enum(['timeout', 'aborted', 'output_limit', 'orphaned']).nullable(),
      outputBytes: z.int().nonnegative(),
      cwd: z.string().nullable(),
    }),
  }),
  z.object({ type: z.literal('failed'), message: z.string() }),
]);

export interface KeptRecord extends RecordHead {
  /** Absent: the command may not have started. */
  readonly group?: ProcessIdentity;
}

/** `null` where there is none that can be read. */
export async function readRecord(outputFile: string): Promise<KeptRecord | null> {
  const [first = '', second = ''] = ((await textOf(recordPath(outputFile))) ?? '').split('\n');
  const head = headSchema.safeParse(parsedJson(first));
  if (!head.success) return null;
  const started = groupSchema.safeParse(parsedJson(second));
  return { ...head.data, ...(started.success && started.data) };
}

/** `null` while it has not ended, or where that is not known. */
export async function readExit(outputFile: string): Promise<CommandExit | null> {
  const exit = exitSchema.safeParse(parsedJson((await textOf(exitPath(outputFile))) ?? ''));
  return exit.success ? exit.data : null;
}

async function textOf(path: string): Promise<string | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    // It is not there, or not to be read.
    return null;
  }
}
