// A page as text alone, for pages that cannot be given their form: linear in their size, whatever they hold.
import type { DomNode } from './dom.ts';
import { visit } from './dom.ts';

const TEXT = 3;
const ELEMENT = 1;
/** Elements that stand within a line. */
const INLINE =
  /^(A|ABBR|B|BDI|BDO|CITE|CODE|DATA|DEL|DFN|EM|FONT|I|IMG|INS|KBD|LABEL|MARK|Q|S|SAMP|SMALL|SPAN|STRIKE|STRONG|SUB|SUP|TIME|TT|U|VAR|WBR)$/;
/** Elements whose text is not for readers. */
const UNREAD = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|SVG|HEAD|TITLE|IFRAME|OBJECT)$/i;

export function plainText(root: DomNode): string {
  const pieces: string[] = [];
  for (const { node } of visit(root, (each) => UNREAD.test(each.nodeName))) {
    if (node.nodeType === TEXT) pieces.push((node.textContent ?? '').replace(/\s+/g, ' '));
    else if (node.nodeType === ELEMENT && !INLINE.test(node.nodeName)) pieces.push(/^T[DH]$/.test(node.nodeName) ? ' ' : '\n');
  }
  const lines = pieces
    .join('')
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, ' '));
  return lines.filter((line) => line !== '').join('\n');
}
