// The one reading of a shell line that every judgement uses. What is not understood for certain is not understood at all.
import { forEachChild, parse, type Command, type Script, type SyntaxNode } from 'unbash';
import { remembered } from './remembered.ts';

/** Characters of a line past which none is understood. */
export const MAX_CHARS = 10_000;
/** Lists in lists past which none is understood. */
export const MAX_DEPTH = 16;
/** Nodes in nodes; a long sum is nested as deep as it has terms. */
const MAX_NODE_DEPTH = 500;
/**
 * Substitutions and here-documents of a line past which none is understood: what each holds is read once more, and the parser
 * looks for some ends again and again.
 */
const MAX_OPENERS = 128;
/** What opens one of them; sums count twice, because the parser tries two readings. */
const OPENER = /[$<>=](?=\()|\(\(|\$[{[]|`|<</g;
/** Trees are large, and are asked for again only while a line is judged. */
export const TREES_KEPT = 16;
/** Control characters, blanks that bash does not split on, and characters that are not seen or change the direction of text. */
const MISLEADING = /[^\P{C}\t\n]|[^\P{Z} ]/u;
/** The old form of arithmetic, which the parser takes for text, and substitutions of newer shells, for which it has no node. */
const NOT_PARSED = /\$(\[|\{[\s|])/;
/** A line that goes on inside of what may be an operator: bash joins the halves, `$` and `(` for example. */
const SPLIT_OPERATOR = /([$<>;(){}`!=[~*?@+]|(^|[^&])&|(^|[^|])\|)\\\n/;

/**
 * The syntax tree of a line, or `null` when any part of it has an error, is nested more than 16 lists deep, or could read
 * otherwise than it runs.
 */
export function parseShell(command: string): Script | null {
  return command.length > MAX_CHARS ? null : parseShort(command);
}

const parseShort = remembered((command): Script | null => {
  if ([MISLEADING, NOT_PARSED, SPLIT_OPERATOR].some((pattern) => pattern.test(command))) return null;
  if (simpleStart(command) !== command) return null;
  const script = parse(command);
  return isSound(script, { depth: 0, nodes: 0, source: command }) ? script : null;
}, TREES_KEPT);

/** As much of a line, from its start, as can be read in little time whatever is in it. */
export function simpleStart(command: string): string {
  const short = command.slice(0, MAX_CHARS);
  let openers = 0;
  for (const { 0: opener, index } of short.matchAll(OPENER)) {
    openers += opener === '`' ? 0.5 : 1;
    if (openers > MAX_OPENERS) return short.slice(0, index);
  }
  return short;
}

/** Calls `visit` for every node, substitutions included. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  forEachChild(node, (child) => walk(child, visit));
}

interface Place {
  /** Lists that the node is in. */
  readonly depth: number;
  /** Nodes that it is in. */
  readonly nodes: number;
  /** The text that positions of the nodes count in. */
  readonly source: string;
}

/** Nested scripts carry errors of their own, so that the whole tree must be looked at. */
function isSound(node: SyntaxNode, place: Place): boolean {
  if (node.type === 'Script' && node.errors !== undefined && node.errors.length > 0) return false;
  if (isUnreadSubstitution(node) || (node.type === 'Command' && hasLostText(node, place.source))) return false;
  const inner = {
    depth: place.depth + (node.type === 'Script' || node.type === 'CompoundList' ? 1 : 0),
    nodes: place.nodes + 1,
    source: node.type === 'Script' ? (node.source ?? place.source) : place.source,
  };
  if (inner.depth > MAX_DEPTH || inner.nodes > MAX_NODE_DEPTH) return false;
  let sound = true;
  forEachChild(node, (child) => {
    sound &&= isSound(child, inner);
  });
  return sound;
}

function isUnreadSubstitution(node: SyntaxNode): boolean {
  if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') return node.script === undefined;
  return node.type === 'ArithmeticExpansion' && node.expression === undefined;
}

/** The parser drops some stray characters without an error: between the words of a command only blanks may stand. */
function hasLostText({ name, prefix, suffix, pos, end }: Command, source: string): boolean {
  const children = [...prefix, ...(name === undefined ? [] : [name]), ...suffix].toSorted((one, other) => one.pos - other.pos);
  let reached = pos;
  for (const child of children) {
    if (!isBlank(source.slice(reached, child.pos))) return true;
    reached = Math.max(reached, child.end);
  }
  return !isBlank(source.slice(reached, end));
}

function isBlank(text: string): boolean {
  return /^([ \t]|\\\n)*$/.test(text);
}
