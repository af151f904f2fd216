// Edits a notebook at once, or in a thread where that could hold up everybody else.
import { extname } from 'node:path';
import { runInThread } from '../../src/workspace/content/run-in-thread.ts';
import { editBytes, type AppliedChange, type Edited, type EditRequest } from './edit-bytes.ts';
import type { EditReply } from './edit-worker.ts';

/** Bytes that are taken apart within some tens of milliseconds, whatever they are. */
const SMALL_BYTES = 256 * 1024;
const TIMEOUT_MS = 30_000;
const MEMORY_MB = 512;
const SCRIPT = new URL(`./edit-worker${extname(import.meta.filename)}`, import.meta.url);

type EditedApart = Exclude<Edited, { change: unknown }> | { readonly change: AppliedChange; readonly bytes: Buffer | null };

export async function editApart({ bytes, ...request }: EditRequest, signal: AbortSignal, timeoutMs = TIMEOUT_MS): Promise<EditedApart> {
  if (bytes.length <= SMALL_BYTES) return withBuffer(editBytes({ bytes, ...request }));
  const job = { script: SCRIPT, request: { bytes: new Uint8Array(bytes), ...request }, timeoutMs, memoryMb: MEMORY_MB, signal };
  const edited = await runInThread<EditReply>(job);
  if (edited !== null) return withBuffer(edited);
  return { refused: 'takes too much time or memory to edit here. Change it with a command.' };
}

/** What comes from a thread is no `Buffer` any more. */
function withBuffer(edited: Edited): EditedApart {
  if (!('change' in edited)) return edited;
  const { change, bytes } = edited;
  return { change, bytes: bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}
