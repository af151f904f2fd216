// What the OpenAI formats can carry of a result: text. All else becomes a note in it, errors are marked by it.
import type { ContentBlock, FinishedCall, ImageBlock } from '../contract/index.ts';

const SAYS_ERROR = /^\s*(?:<tool_use_error>|\w*error\b)/i;

/** The images of a result, in order. */
export function imagesOf(result: FinishedCall): ImageBlock[] {
  return typeof result.content === 'string' ? [] : result.content.filter((block) => block.type === 'image');
}

/**
 * A result as text; a failed one says so in its first word.
 * @param imageNote the note that stands for the n-th image of this result, counted from 0
 */
export function resultText(result: FinishedCall, imageNote: (image: ImageBlock, n: number) => string): string {
  let images = 0;
  const parts =
    typeof result.content === 'string'
      ? [result.content]
      : result.content.map((block) => {
          if (block.type !== 'image') return blockText(block);
          images += 1;
          return imageNote(block, images - 1);
        });
  const text = parts.join('\n');
  return result.isError && !SAYS_ERROR.test(text) ? `Error: ${text}` : text;
}

function blockText(block: Exclude<ContentBlock, ImageBlock>): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool_reference') return `[Tool found: ${block.tool_name}]`;
  const title = block.title ? `"${block.title}", ` : '';
  return `[A document is left out here: ${title}${block.source.media_type}, ${sizeOf(block.source.data)}. This format carries text only.]`;
}

/** Size of base64 data in words. */
export function sizeOf(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}
