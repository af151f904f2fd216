// The parts of the DOM that are used here. The compiler knows no DOM, and linkedom types its own by names of it.
import { parseHTML } from 'linkedom';

export interface DomNode {
  readonly nodeType: number;
  /** In capitals for elements of HTML. */
  readonly nodeName: string;
  textContent: string | null;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly parentNode: DomNode | null;
  remove(): void;
  replaceWith(...nodes: (DomNode | string)[]): void;
}

export interface DomElement extends DomNode {
  readonly childNodes: Iterable<DomNode>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  append(...nodes: (DomNode | string)[]): void;
  closest(selector: string): DomElement | null;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}

export interface DomDocument {
  readonly documentElement: DomElement | null;
  readonly body: DomElement;
  createElement(name: string): DomElement;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
  cloneNode(deep: boolean): DomDocument;
}

/** A page as a document that has a body, also where its source leaves out tags that browsers add. */
export function parsePage(html: string): DomDocument {
  const document = /<body[\s>]/i.test(html) ? parse(html) : null;
  if (document?.documentElement?.nodeName === 'HTML' && document.querySelector('html > body') !== null) return document;
  return parse(`<html><body>${html}</body></html>`);
}

function parse(html: string): DomDocument {
  const { document } = parseHTML(html) as { document: DomDocument };
  return document;
}

/** A node on the way through a tree. */
export interface Visit {
  readonly node: DomNode;
  /** Nodes above it, below the root. */
  readonly depth: number;
}

/**
 * All nodes below a root, in the order of the source: those with children when they are entered and when they are left.
 * It does not call itself: pages may nest deeper than the stack.
 */
export function* visit(root: DomNode, skips: (node: DomNode) => boolean = () => false): Generator<Visit, void, void> {
  let depth = 0;
  let node = root.firstChild;
  while (node !== null) {
    const { firstChild }: DomNode = node;
    const enters = !skips(node);
    if (enters) yield { node, depth };
    if (enters && firstChild !== null) {
      depth += 1;
      node = firstChild;
      continue;
    }
    while (node !== null && node.nextSibling === null) {
      node = node.parentNode;
      depth -= 1;
      if (node === null || node === root) return;
      yield { node, depth };
    }
    node = node?.nextSibling ?? null;
  }
}

/** How deep the elements below a node nest. */
export function depthOf(root: DomNode): number {
  let deepest = 0;
  for (const { depth } of visit(root)) deepest = Math.max(deepest, depth);
  return deepest;
}
