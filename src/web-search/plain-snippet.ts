import { clipped } from '../contract/index.ts';

/** Characters of markup that are read for one text. */
const MAX_MARKUP = 5_000;

/** A text without markup, on one line. */
export async function plainSnippet(markup: string, maxChars: number): Promise<string> {
  const text = /[<&]/.test(markup) ? await withoutMarkup(markup.slice(0, MAX_MARKUP)) : markup;
  // oxlint-disable-next-line no-control-regex -- They say nothing in a text on one line.
  return clipped(text.replace(/[\s\u0000-\u001F\u007F]+/g, ' ').trim(), maxChars);
}

async function withoutMarkup(markup: string): Promise<string> {
  // Loaded on first use: services without a search engine never need it.
  const { parseHTML } = await import('linkedom');
  // The compiler knows no DOM.
  const { document } = parseHTML(`<html><body>${markup}</body></html>`) as { document: { body: { textContent: string } } };
  return document.body.textContent;
}
