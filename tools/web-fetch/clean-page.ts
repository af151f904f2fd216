// Takes out of a page what its readers do not see, and makes the rest stand on its own: links that lead somewhere from
// anywhere, code that says its language, tables that Markdown can say.
import type { DomDocument, DomElement } from './dom.ts';

/** What is not text, or not for readers. Text that the page hides is often there for machines alone. */
const UNSEEN = [
  'script, style, noscript, template, svg, canvas, iframe, object, embed, link, meta, head, title, select, textarea, button',
  'input:not([type="checkbox"])',
  '[hidden], [aria-hidden="true"], [style*="display:none"], [style*="display: none"]',
  '[style*="visibility:hidden"], [style*="visibility: hidden"]',
  // Numbers of lines beside code, and marks that link a heading to itself.
  'td.linenos, td.gutter, .linenodiv, .lineno, a.headerlink, a.anchorjs-link, a.hash-link',
].join(',');

/** @param url where the page came from */
export function cleanPage(document: DomDocument, url: string): void {
  const base = baseOf(document, url);
  const languages = [...document.querySelectorAll('pre')].map((pre) => [pre, languageOf(pre)] as const);
  for (const [pre, language] of languages) if (language !== null) pre.setAttribute('data-language', language);
  for (const element of document.querySelectorAll(UNSEEN)) element.remove();
  for (const link of document.querySelectorAll('a[href]')) placeLink(link, base);
  for (const image of document.querySelectorAll('img')) placeImage(image, base);
  for (const box of document.querySelectorAll('input')) box.replaceWith(box.getAttribute('checked') === null ? '[ ] ' : '[x] ');
  // What looks for the main text makes second headings of the first ones.
  for (const heading of document.querySelectorAll('h1')) heading.setAttribute('data-level', '1');
  for (const table of [...document.querySelectorAll('table')].toReversed()) plainTable(table, document);
}

function baseOf(document: DomDocument, url: string): string {
  const href = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  return URL.parse(href, url)?.href ?? url;
}

/** As the class says it of the block, its code, or a box around it: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-|text-)?|brush:\s*)([\w+#.-]{1,30})/i;
const NO_LANGUAGE = /^(default|none|notranslate|plaintext|nohighlight)$/i;

function languageOf(pre: DomElement): string | null {
  const parent = pre.parentNode as DomElement | null;
  // Of a document there are no attributes to ask for.
  const around = [parent, parent?.parentNode as DomElement | null].filter((each) => typeof each?.getAttribute === 'function');
  for (const element of [pre.querySelector('code'), pre, ...around]) {
    const named = element?.getAttribute('data-lang') ?? element?.getAttribute('data-language');
    const found = named ?? LANGUAGE.exec(element?.getAttribute('class') ?? '')?.[1];
    if (found !== undefined && found !== '' && /^[\w+#.-]{1,30}$/.test(found) && !NO_LANGUAGE.test(found)) return found.toLowerCase();
  }
  return null;
}

function placeLink(link: DomElement, base: string): void {
  const url = URL.parse(link.getAttribute('href') ?? '', base);
  if (url !== null && /^(https?|mailto|ftp):$/.test(url.protocol)) link.setAttribute('href', url.href);
  else link.removeAttribute('href');
}

function placeImage(image: DomElement, base: string): void {
  const url = URL.parse(image.getAttribute('src') ?? '', base);
  const isSeen = url !== null && /^https?:$/.test(url.protocol) && image.getAttribute('src') !== null;
  if (isSeen) image.setAttribute('src', url.href);
  // A picture that is written out in the page says nothing as text; its words do.
  else image.replaceWith(image.getAttribute('alt') ?? '');
}

/** Tables that only place things on the page become blocks, and lists in the cells of the others become lines. */
function plainTable(table: DomElement, document: DomDocument): void {
  const isLayout = /^(presentation|none)$/.test(table.getAttribute('role') ?? '');
  if (isLayout || table.querySelector('pre, h1, h2, h3, h4, h5, h6, blockquote, hr, table') !== null) {
    const parts = [...table.querySelectorAll('caption, thead, tbody, tfoot, tr, td, th')];
    for (const part of parts.filter((each) => each.closest('table') === table)) asBlock(part, document);
    asBlock(table, document);
    return;
  }
  for (const item of table.querySelectorAll('li')) item.replaceWith('- ', ...item.childNodes, document.createElement('br'));
  for (const list of table.querySelectorAll('ul, ol')) list.replaceWith(...list.childNodes);
}

function asBlock(element: DomElement, document: DomDocument): DomElement {
  const block = document.createElement('div');
  block.append(...element.childNodes);
  element.replaceWith(block);
  return block;
}
