// Takes a line apart for permission rules. Every program that the tree names becomes a part, also those in loops, functions,
// substitutions and here-documents; so does what runs no program and still may do something: tests, sums, redirected groups.
import { forEachChild, parse, type Assignment, type Command, type Redirection, type Script, type SyntaxNode } from 'unbash';
import type { CommandAssignment, CommandPart, CommandReader, CommandReading, CommandRedirect } from '../contract/index.ts';
import { readWord } from './command-parts-word.ts';
import { parseShell, walk } from './parse.ts';

/** A line longer than this is not even looked through for parts. */
const MAX_CHARS = 200_000;
/** Far more than any line that is understood can have. */
const MAX_PARTS = 20_000;
const OTHER_FORMS = new Set<SyntaxNode['type']>(['TestCommand', 'ArithmeticCommand', 'ArithmeticFor', 'Coproc', 'Select']);
const CHANGES_DIRECTORY = new Set(['cd', 'pushd', 'popd']);
const NUMBER = /^\s*\d[\w#]*\s*$/;

/** @param isReadOnly whether a line, given without its redirections to files, changes nothing */
export function createCommandReader(isReadOnly: (line: string) => boolean): CommandReader {
  return { read: (command) => readCommand(command, isReadOnly) };
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
  if (command.length > 10_000) return 'is longer than 10,000 characters';
  return 'has a syntax error, is nested too deeply, or holds characters that read otherwise than they run';
}

/** What can be found in a line that is not understood. None of it counts as read-only. */
function looseParts(command: string): CommandPart[] {
  if (command.length > MAX_CHARS) return [];
  try {
    return partsOf(parse(command), command, () => false);
  } catch {
    // A line nested too deeply for the parser: that it is not understood has been said.
    return [];
  }
}

interface Collecting {
  readonly parts: CommandPart[];
  readonly isReadOnly: (line: string) => boolean;
}

function partsOf(script: Script, source: string, isReadOnly: (line: string) => boolean): CommandPart[] {
  const found: Collecting = { parts: [], isReadOnly };
  collect(script, source, found);
  const changes = found.parts.some(({ words }) => CHANGES_DIRECTORY.has(words[0]?.value ?? ''));
  // In another directory git may find another repository, whose configuration can name programs.
  return changes ? found.parts.map((part) => (part.words[0]?.value === 'git' ? { ...part, readOnly: false } : part)) : found.parts;
}

/** @param source the text that positions of the node count in */
function collect(node: SyntaxNode, source: string, found: Collecting): void {
  if (found.parts.length > MAX_PARTS) throw new RangeError('The line has too many parts.');
  const own = node.type === 'Script' ? (node.source ?? source) : source;
  if (node.type === 'Command') found.parts.push(commandPart(node, found.isReadOnly));
  else if (node.type === 'Redirected') found.parts.push(bare('', { redirects: redirectsOf(node.redirects), readOnly: true }));
  else if (OTHER_FORMS.has(node.type)) {
    const text = own.slice(node.pos, node.end);
    found.parts.push(bare(text, { redirects: [], readOnly: found.isReadOnly(text) }));
  }
  forEachChild(node, (child) => collect(child, own, found));
}

function bare(text: string, { redirects, readOnly }: Pick<CommandPart, 'redirects' | 'readOnly'>): CommandPart {
  return { words: [], text, assignments: [], redirects, readOnly, opaque: !readOnly };
}

function commandPart(node: Command, isReadOnly: (line: string) => boolean): CommandPart {
  const words = [...(node.name === undefined ? [] : [node.name]), ...node.args].map(readWord);
  const given = node.prefix.filter((each) => each.type === 'Assignment');
  const text = words.map(({ written }) => written).join(' ');
  const line = [...given.map((each) => each.text), text].join(' ').trim();
  return {
    words,
    text,
    assignments: given.map(assignment),
    redirects: redirectsOf(node.redirects),
    readOnly: words.length === 0 ? given.length === 0 : isReadOnly(line),
    opaque: isOpaque(node),
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

function isOpaque(command: Command): boolean {
  let opaque = false;
  walk(command, (node) => {
    opaque ||= mayEvaluate(node);
  });
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
