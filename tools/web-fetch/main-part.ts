// What a page is about, without what stands around it on every page of its site.
import { Readability } from '@mozilla/readability';
import type { DomDocument, DomElement, DomNode } from './dom.ts';

/** Elements nested deeper than this are not judged: the time it takes grows with the cube of it. */
const MAX_DEPTH = 150;
/** Part of the text that the main text must be; with less of it, much that matters was taken for surroundings. */
const LEAST_SHARE = 0.3;
const SURROUNDINGS = 'nav, footer, [role="navigation"], [role="contentinfo"]';

/** @param document a page that was cleaned; it is changed */
export function mainPart(document: DomDocument, depth: number): DomNode {
  const article = depth > MAX_DEPTH ? null : readArticle(document);
  for (const part of document.body.querySelectorAll(SURROUNDINGS)) part.remove();
  const { body } = document;
  return article !== null && isEnough(article, body) ? article : body;
}

function readArticle(document: DomDocument): DomElement | null {
  // It takes the document apart. The types want a DOM that the compiler does not know.
  const copy = document.cloneNode(true) as unknown as ConstructorParameters<typeof Readability>[0];
  const reader = new Readability<DomElement>(copy, {
    keepClasses: true,
    disableJSONLD: true,
    serializer: (node) => node,
  });
  return reader.parse()?.content ?? null;
}

function isEnough(article: DomElement, body: DomElement): boolean {
  if (lengthOf(article) < lengthOf(body) * LEAST_SHARE) return false;
  // Tables and code are what pages are fetched for: none of them may be lost.
  return ['table', 'pre'].every((name) => [...article.querySelectorAll(name)].length === [...body.querySelectorAll(name)].length);
}

function lengthOf(node: DomNode): number {
  return (node.textContent ?? '').replace(/\s+/g, '').length;
}
