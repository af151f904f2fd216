// An answer as a model can take it: text, an image, or a document.
import type { ResultContent } from '../../src/contract/index.ts';
import { IMAGE_TYPES, scaleImage } from '../../src/workspace/content/scale-image.ts';
import { convertPage } from './convert-page.ts';
import type { Answer } from './fetch-answer.ts';
import { showPdf } from './show-pdf.ts';

type Content = Pick<Answer, 'bytes' | 'contentType' | 'url'>;

/** Characters of a text; more of it comes from a page that was made to grow while it was converted. */
const MAX_CHARS = 10 * 1024 * 1024;
/** Types that are text for sure, so that their first bytes are not taken for a mark. */
const TEXTUAL = /^\s*(text\/|application\/(json|xml|xhtml\+xml|javascript|yaml|toml|sql|ndjson)\b|[\w.-]+\/[\w.-]+\+(json|xml|yaml)\b)/i;

/** @throws Error fit for a model when it is nothing that can be shown, or too much */
export async function showPage(answer: Content, signal: AbortSignal): Promise<ResultContent> {
  const { bytes, url } = answer;
  if (bytes.length === 0) return `${url} answered with an empty body.`;
  const type = await mediaType(answer);
  if (type === 'application/pdf') return showPdf({ bytes, url }, signal);
  if (IMAGE_TYPES.has(type)) return showImage(answer);
  if (type !== 'text') throw binary(url, type);
  return showText(answer, signal);
}

/** `text` for all that carries no mark of another type. */
async function mediaType({ bytes, contentType }: Content): Promise<string> {
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return 'application/pdf';
  if (TEXTUAL.test(contentType)) return 'text';
  const { fileTypeFromBuffer } = await import('file-type');
  const mime = (await fileTypeFromBuffer(bytes))?.mime;
  return mime === undefined || TEXTUAL.test(mime) ? 'text' : mime;
}

async function showImage({ bytes, url }: Content): Promise<ResultContent> {
  const image = await scaleImage(bytes).catch(() => {
    throw new Error(`${url} could not be decoded as an image: it is damaged or too large.`);
  });
  return image.note === null ? [image.block] : [image.block, { type: 'text', text: image.note }];
}

async function showText({ bytes, contentType, url }: Content, signal: AbortSignal): Promise<string> {
  const reply = await convertPage({ bytes, contentType, url }, signal);
  if (reply === null) throw new Error(`${url} takes too long to read: it is too large or built to be slow. Look for another page.`);
  if (reply.kind === 'binary')
    throw binary(url, /^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})\s*(?:;|$)/.exec(contentType)?.[1] ?? 'of unknown type');
  if (reply.kind === 'text') return reply.text.slice(0, MAX_CHARS);
  const { title, text, form, whole } = reply;
  const notes = [
    ...(form === 'text' ? ['[The page is too large or too deeply nested for Markdown: this is its text alone.]'] : []),
    ...(whole ? [] : ['[The page is very large: only its beginning was read.]']),
    ...(text === '' ? ['[The page holds no text. It may be drawn by scripts, which are not run.]'] : []),
  ];
  const head = [...(title === '' ? [] : [`Title: ${title}`]), `URL: ${url}`, ...notes].join('\n');
  return `${head}\n\n${text.slice(0, MAX_CHARS)}`.trimEnd();
}

function binary(url: string, type: string): Error {
  return new Error(`${url} is a binary file (${type}): pages, text, PDF and images can be shown.`);
}
