// Takes a line apart for permission rules. Every program that the tree names becomes a part, also those in loops, functions,
// substitutions and here-documents; so does what runs no program and still may do something: tests, sums, redirected groups.
import { forEachChild, parse, type Assignment, type Command, type Redirection, type Script, type SyntaxNode } from 'unbash';
import type { CommandAssignment, CommandPart, CommandReader, CommandReading, CommandRedirect } from '../contract/index.ts';
import { readWord } from './command-parts-word.ts';
import { MAX_CHARS, MAX_DEPTH, parseShell, simpleStart, TREES_KEPT } from './parse.ts';
import { remembered } from './remembered.ts';

/** Characters of parts that are judged. In nested substitutions each part holds the next, and all would be judged anew. */
const MAX_JUDGED = 2 * MAX_CHARS;
const OTHER_FORMS = new Set<SyntaxNode['type']>(['TestCommand', 'ArithmeticCommand', 'ArithmeticFor', 'Coproc', 'Select']);
const CHANGES_DIRECTORY = new Set(['cd', 'pushd', 'popd']);
const NUMBER = /^\s*\d[\w#]*\s*$/;

/** @param isReadOnly whether a line, given without its redirections to files, changes nothing */
export function createCommandReader(isReadOnly: (line: string) => boolean): CommandReader {
  return { read: remembered((command) => readCommand(command, isReadOnly), TREES_KEPT) };
}

function readCommand(command: string, isReadOnly: (line: string) => boolean): CommandReading {
  try {
    const script = parseShell(command);
    if (script !== null) return { understood: true, parts: partsOf(script, command, isReadOnly) };
  } catch {
    // A parser that fails has not understood the line.
  }
  return { understood: false, reason: unreadReason(command), parts: looseParts(command) };
}

function unreadReason(command: string): string {
  if (command.length > MAX_CHARS) return 'is longer than 10,000 characters';
  return 'has a syntax error, holds too many substitutions or too deep ones, or characters that read otherwise than they run';
}

/** What can be found at the start of a line that is not understood. None of it counts as read-only. */
function looseParts(command: string): CommandPart[] {
  const start = simpleStart(command);
  try {
    return partsOf(parse(start), start, () => false);
  } catch {
    // A line nested too deeply for the parser: that it is not understood has been said.
    return [];
  }
}

interface Collecting {
  readonly parts: CommandPart[];
  /** Nodes in which something may be evaluated. */
  readonly opaque: ReadonlySet<SyntaxNode>;
  readonly isReadOnly: (line: string) => boolean;
}

interface Place {
  /** The text that positions of the node count in. */
  readonly source: string;
  /** Scripts that it is in. */
  readonly depth: number;
}

function partsOf(script: Script, source: string, isReadOnly: (line: string) => boolean): CommandPart[] {
  let judged = 0;
  const found: Collecting = {
    parts: [],
    opaque: opaqueNodes(script),
    isReadOnly: (line) => {
      judged += line.length;
      return judged <= MAX_JUDGED && isReadOnly(line);
    },
  };
  collect(script, { source, depth: 0 }, found);
  const changes = found.parts.some(({ words }) => CHANGES_DIRECTORY.has(words[0]?.value ?? ''));
  // In another directory git may find another repository, whose configuration can name programs.
  return changes ? found.parts.map((part) => (part.words[0]?.value === 'git' ? { ...part, readOnly: false } : part)) : found.parts;
}

function collect(node: SyntaxNode, place: Place, found: Collecting): void {
  const inner = node.type === 'Script' ? { source: node.source ?? place.source, depth: place.depth + 1 } : place;
  if (inner.depth > MAX_DEPTH) return;
  if (node.type === 'Command') found.parts.push(commandPart(node, found));
  else if (node.type === 'Redirected') found.parts.push(bare('', { redirects: redirectsOf(node.redirects), readOnly: true }));
  else if (OTHER_FORMS.has(node.type)) {
    const text = inner.source.slice(node.pos, node.end);
    found.parts.push(bare(text, { redirects: [], readOnly: found.isReadOnly(text) }));
  }
  forEachChild(node, (child) => collect(child, inner, found));
}

function bare(text: string, { redirects, readOnly }: Pick<CommandPart, 'redirects' | 'readOnly'>): CommandPart {
  return { words: [], text, assignments: [], redirects, readOnly, opaque: !readOnly };
}

function commandPart(node: Command, found: Collecting): CommandPart {
  const words = [...(node.name === undefined ? [] : [node.name]), ...node.args].map(readWord);
  const given = node.prefix.filter((each) => each.type === 'Assignment');
  const text = words.map(({ written }) => written).join(' ');
  const line = [...given.map((each) => each.text), text].join(' ').trim();
  return {
    words,
    text,
    assignments: given.map(assignment),
    redirects: redirectsOf(node.redirects),
    readOnly: words.length === 0 ? given.length === 0 : found.isReadOnly(line),
    opaque: found.opaque.has(node),
  };
}

function assignment({ name, value, append, index }: Assignment): CommandAssignment {
  const plain = value.type === 'Word' && append !== true && index === undefined;
  return { name, value: plain ? readWord(value).value : null };
}

function redirectsOf(redirections: readonly Redirection[]): CommandRedirect[] {
  return redirections.flatMap((redirection) => {
    if (redirection.type !== 'Redirect') return [];
    const { operator, target } = redirection;
    const path = target === undefined ? null : readWord(target).value;
    const duplicates = operator === '<&' || operator === '>&';
    if (path === '/dev/null' || (duplicates && path !== null && /^(\d+-?|-)$/.test(path))) return [];
    return [{ access: operator === '<' || operator === '<&' ? ('read' as const) : ('write' as const), path }];
  });
}

/** The nodes in which something may be evaluated; what is too deep to look at counts as such. */
function opaqueNodes(script: Script): ReadonlySet<SyntaxNode> {
  const opaque = new Set<SyntaxNode>();
  const look = (node: SyntaxNode, outside: number): boolean => {
    const depth = outside + (node.type === 'Script' ? 1 : 0);
    let found = depth > MAX_DEPTH || mayEvaluate(node);
    if (depth <= MAX_DEPTH) {
      forEachChild(node, (child) => {
        found = look(child, depth) || found;
      });
    }
    if (found) opaque.add(node);
    return found;
  };
  look(script, 0);
  return opaque;
}

/** Bash reads names, subscripts and offsets in sums, and values in some expansions, as code. */
function mayEvaluate(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'ArithmeticWord':
      return !NUMBER.test(node.value);
    case 'ParameterExpansion':
      return node.index !== undefined || node.prefix === '!';
    case 'Slice':
      return ![node.offset, node.length].every((word) => word === undefined || /^\s*-?\d+$/.test(word.text));
    case 'Assignment':
      return node.index !== undefined;
    case 'Transform':
    case 'Names':
    case 'Unknown':
    case 'LocaleString':
    case 'ExtendedGlob':
      return true;
    default:
      return false;
  }
}
