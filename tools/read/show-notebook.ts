// A notebook as its cells, each with its outputs; images of outputs come as images.
import { stripVTControlCharacters } from 'node:util';
import { headOf, type ContentBlock, type ImageBlock } from '../../src/contract/index.ts';
import { positionName } from '../../src/workspace/content/notebook.ts';
import { scaleImage } from '../../src/workspace/content/scale-image.ts';
import { RESULT_CHARS } from './limits.ts';
import type { CellOutput, ShownCell } from './notebook-schema.ts';
import { outputText, readCell } from './notebook-schema.ts';
import type { Range, Shown } from './shown.ts';
import { count } from './shown.ts';

/** Characters of one output, and images of one result. */
const OUTPUT_CHARS = 10_000;
const MAX_IMAGES = 10;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const TEXT_TYPES = ['text/plain', 'text/markdown', 'text/html', 'text/latex'];

/** @param cells as `parseNotebook` gives them: each is checked when it is shown */
export async function showNotebook(cells: readonly unknown[], range: Range): Promise<Shown> {
  if (cells.length === 0) return { content: 'The notebook exists but has no cells.', extent: 'whole' };
  const wanted = cells.slice(range.offset - 1, range.offset - 1 + range.limit);
  if (wanted.length === 0) {
    return { content: `Offset ${count(range.offset)} is past the end: the notebook has ${count(cells.length)} cells.`, extent: 'nothing' };
  }
  const blocks: ContentBlock[] = [];
  let chars = 0;
  let images = 0;
  let shown = 0;
  for (const [index, raw] of wanted.entries()) {
    const number = range.offset + index;
    const cell = readCell(raw);
    const parts = cell === null ? [`[Cell ${number} is not of the notebook format.]`] : await showCell(cell, number, MAX_IMAGES - images);
    const size = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
    if (shown > 0 && chars + size > RESULT_CHARS) break;
    chars += size;
    images += parts.filter((part) => typeof part !== 'string').length;
    for (const part of parts) append(blocks, part);
    shown += 1;
  }
  const last = range.offset + shown - 1;
  const whole = range.offset === 1 && last === cells.length;
  if (!whole) append(blocks, partialNote(range.offset, last, cells.length));
  const [only] = blocks;
  return { content: blocks.length === 1 && only?.type === 'text' ? only.text : blocks, extent: whole ? 'whole' : 'part' };
}

function partialNote(first: number, last: number, total: number): string {
  const more = last === total ? '' : ` Read on with offset ${last + 1}.`;
  return `[Partial: these are cells ${count(first)} to ${count(last)} of ${count(total)}.${more}]`;
}

/** Text that follows text goes into the same block. */
function append(blocks: ContentBlock[], part: string | ImageBlock): void {
  const last = blocks.at(-1);
  if (typeof part !== 'string') blocks.push(part);
  else if (last?.type === 'text') last.text += `\n${part}`;
  else blocks.push({ type: 'text', text: part });
}

async function showCell(cell: ShownCell, number: number, imagesLeft: number): Promise<(string | ImageBlock)[]> {
  // One without an id of its own is known by its place, as NotebookEdit takes it.
  const id = ` id="${cell.id ?? positionName(number - 1)}"`;
  const source = cell.source.length > RESULT_CHARS ? `${headOf(cell.source, RESULT_CHARS)}\n[The rest of this cell is cut.]` : cell.source;
  const parts: (string | ImageBlock)[] = [`<cell number="${number}"${id} type="${cell.cell_type}">\n${source}\n</cell>`];
  for (const output of cell.outputs) {
    const image = output && imageOf(output);
    if (image)
      parts.push(
        parts.filter((part) => typeof part !== 'string').length < imagesLeft ? await showOutputImage(image) : '[An image is left out.]',
      );
    else if (output) parts.push(`<output cell="${number}">\n${textOf(output)}\n</output>`);
  }
  return parts;
}

function imageOf(output: CellOutput): Buffer | null {
  if (!('data' in output)) return null;
  const found = IMAGE_TYPES.map((mime) => outputText(output.data, mime)).find((data) => data !== null);
  return found === undefined || found === null ? null : Buffer.from(found, 'base64');
}

async function showOutputImage(bytes: Buffer): Promise<string | ImageBlock> {
  try {
    return (await scaleImage(bytes)).block;
  } catch {
    // A damaged picture must not hide the rest of the notebook.
    return '[An image that could not be decoded.]';
  }
}

function textOf(output: CellOutput): string {
  const text = stripVTControlCharacters(rawTextOf(output));
  return text.length > OUTPUT_CHARS ? `${headOf(text, OUTPUT_CHARS)}\n[The rest of this output is cut.]` : text;
}

function rawTextOf(output: CellOutput): string {
  if (output.output_type === 'stream') return output.text;
  if (output.output_type === 'error') return [`${output.ename}: ${output.evalue}`, ...output.traceback].join('\n');
  const found = TEXT_TYPES.map((mime) => outputText(output.data, mime)).find((text) => text !== null);
  return found ?? `[Output of type ${Object.keys(output.data).join(', ') || 'unknown'}.]`;
}
