// An edit of a notebook as bytes: taken apart, one cell changed, and put together again.
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { isFaithful } from '../../src/workspace/content/text-encoding.ts';
import { styleOf } from './json-style.ts';
import { putTogether, takeApart, type Part } from './json-text.ts';
import { parseNotebook } from './notebook.ts';
import { changeCells, type Change, type NotebookEditInput } from './plan-change.ts';

export interface EditRequest {
  readonly bytes: Uint8Array;
  readonly input: NotebookEditInput;
  /** What ids of new cells are made of. */
  readonly seed: string;
}

export type AppliedChange = Omit<Change, 'cells'>;

/** `bytes` are `null` when nothing changes. `refused`: what is wrong with the file, `missing`: with the call. */
export type Edited =
  | { readonly change: AppliedChange; readonly bytes: Uint8Array | null }
  | { readonly refused: string }
  | { readonly missing: string };

export function editBytes({ bytes: given, input, seed }: EditRequest): Edited {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const encoding = detectEncoding(bytes);
  const body = bytes.subarray(encoding?.bom.length ?? 0);
  if (!encoding || !isFaithful(encoding, body)) return { refused: 'is not a text file throughout, so it cannot be edited as a notebook.' };
  const text = encoding.decode(body);
  const notebook = parseNotebook(text);
  if (typeof notebook === 'string') return { refused: notebook };
  const inner = text.trim();
  const root = takeApart(inner);
  const list = root.parts.findLast(({ key }) => key === 'cells') as Part;
  const own = styleOf(root, text);
  const style = { ...own, ascii: own.ascii || encoding.encode(input.new_source ?? '') === null };
  const changed = changeCells({ notebook, cells: takeApart(list.value), listLead: list.lead, style, seed }, input);
  if (typeof changed === 'string') return { missing: changed };
  const { cells, ...change } = changed;
  if (cells === null) return { change, bytes: null };
  const parts = root.parts.map((part) => (part === list ? { ...part, value: cells } : part));
  const begin = text.indexOf(inner);
  const whole = text.slice(0, begin) + putTogether({ ...root, parts }) + text.slice(begin + inner.length);
  const encoded = encoding.encode(whole);
  return encoded
    ? { change, bytes: Buffer.concat([encoding.bom, encoded]) }
    : { refused: `cannot hold the new source in ${encoding.name}.` };
}
