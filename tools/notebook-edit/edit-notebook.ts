// One edit of a notebook: read it as it is now, change the text of one cell, and put the result in its place if the file
// is still the one that the model has read.
import {
  FileError,
  type CallContext,
  type FileSnapshot,
  type Intent,
  type ProbeAnswer,
  type ProbeContext,
  type ToolResult,
} from '../../src/contract/index.ts';
import { shownPath } from '../../src/workspace/content/show-path.ts';
import { fileDiff } from '../../src/workspace/content/file-diff.ts';
import { readWhole } from '../../src/workspace/content/read-whole.ts';
import { findReplacement, replacementIntent } from '../../src/workspace/content/replacement.ts';
import { namedFile, speakOf } from '../../src/workspace/content/speak-of.ts';
import { editApart } from './edit-apart.ts';
import type { AppliedChange } from './edit-bytes.ts';
import type { NotebookEditInput } from './plan-change.ts';

/** Bytes of a notebook that can be edited. */
const NOTEBOOK_BYTES = 32 * 1024 * 1024;

export interface NotebookEditOutput {
  /** Absolute real path. */
  readonly path: string;
  /** Name of the cell. */
  readonly cell: string;
  /** Unified diff of the cell's source; `null` when it is too large to draw. */
  readonly diff: string | null;
}

/** @throws FileError when the notebook cannot be used, was not read, or has changed since */
export async function editNotebook(input: NotebookEditInput, context: CallContext): Promise<ToolResult<NotebookEditOutput>> {
  const named = namedFile(input.notebook_path, context);
  return speakOf(named, async () => {
    const planned = await planEdit(named.path, input, context);
    return 'refused' in planned ? { content: planned.refused, isError: true } : put(planned, context);
  });
}

/** What the file is and will be; nothing is written. @throws FileError as {@link editNotebook} */
export async function notebookIntent(input: NotebookEditInput, context: CallContext): Promise<Intent | undefined> {
  const planned = await planEdit(context.files.absolute(input.notebook_path, context.state.cwd), input, context);
  if ('refused' in planned) return undefined;
  return { ...replacementIntent({ ...planned, bytes: planned.bytes ?? planned.former }), cell: planned.change.cell };
}

/** Whether an interrupted edit is done. @throws FileError */
export async function probeNotebook(_input: NotebookEditInput, { files, intent }: ProbeContext): Promise<ProbeAnswer<NotebookEditOutput>> {
  return findReplacement({ files, intent, outputOf: (path, { cell }) => ({ path, cell: String(cell), diff: null }) });
}

interface PlannedEdit {
  /** Absolute real path. */
  readonly path: string;
  readonly before: string;
  readonly former: Buffer;
  /** `null`: the file stays as it is. */
  readonly bytes: Buffer | null;
  readonly seen: FileSnapshot;
  readonly change: AppliedChange;
  readonly said: string;
}

async function planEdit(path: string, input: NotebookEditInput, context: CallContext): Promise<PlannedEdit | { refused: string }> {
  const { files, state, turnId, toolUseId, signal } = context;
  const file = await readWhole(files, path, NOTEBOOK_BYTES);
  const seen = files.remembered(file.path);
  if (!seen) throw new FileError('exists', `${path} has not been read in this session. Read it first, then edit it.`);
  if (seen.hash !== file.hash) throw new FileError('changed', `${path} has changed since it was read. Read it again, then edit it.`);
  const shown = shownPath(file.path, state.cwd);
  // The same call gives the same cell the same id.
  const edited = await editApart({ bytes: file.bytes, input, seed: `${turnId} ${toolUseId}` }, signal);
  if ('refused' in edited) return { refused: `${shown} ${edited.refused}` };
  if ('missing' in edited) return { refused: edited.missing };
  const { change, bytes } = edited;
  const unchanged = `Cell ${change.cell} of ${shown} already holds exactly this: nothing was written.`;
  const said = bytes === null ? unchanged : [`${change.did} ${shown}.`, ...change.notes].join(' ');
  return { path: file.path, before: file.hash, former: file.bytes, bytes, seen, change, said };
}

async function put(planned: PlannedEdit, { files, state }: CallContext): Promise<ToolResult<NotebookEditOutput>> {
  const { path, bytes, before, seen, change, said } = planned;
  const diff = fileDiff(`${shownPath(path, state.cwd)}#${change.cell}`, change.before, change.after);
  const output = { path, cell: change.cell, diff };
  if (bytes === null) return { content: said, output };
  const { path: real, ...written } = await files.write({ path, bytes, expectedHash: before });
  files.remember(real, { ...written, whole: seen.whole });
  return { content: said, output };
}
