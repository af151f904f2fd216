// Whether rules allow all of a call: every part of a line needs one, and every file that the line itself writes.
import { isWithin, type CommandAssignment, type CommandPart, type CommandWord } from '../../contract/index.ts';
import { matchCommand, type CommandPattern } from '../patterns/command-pattern.ts';
import { isPublicName, matchDomain } from '../patterns/domain-pattern.ts';
import { matchPath, type PathBases } from '../patterns/path-pattern.ts';
import { isInside } from '../paths/place.ts';
import type { Program } from '../touched/read-programs.ts';
import { programReadsInside, type Bounds } from '../touched/reads-inside.ts';
import type { Rule } from './rule.ts';
import type { Touched, TouchedFile, TouchedItem } from '../touched/touched.ts';
import type { TouchedCommand, TouchedPart } from '../touched/touched-command.ts';
import { allowsCode } from './unread-code.ts';
import { matchWildcard } from '../patterns/wildcard.ts';
import { programName, startsProgram, unwrap } from '../touched/wrappers.ts';

export interface AllowSight extends Bounds {
  /** Rules that allow, the operator's first. */
  readonly rules: readonly Rule[];
  readonly basesOf: (rule: Rule) => PathBases;
  /** The mode already lets the session write its own files. */
  readonly edits: boolean;
}

/** The first of the rules that together allow the call; `null` when some of it is not allowed. */
export async function matchAllowing(touched: Touched, sight: AllowSight): Promise<Rule | null> {
  const whole = sight.rules.find((rule) => rule.form === 'tool' && rule.bare && isNamed(rule, touched.tool));
  let first: Rule | null = null;
  for (const item of touched.items) {
    const rule = await allowsItem(item, touched, { ...sight, whole });
    if (rule === null) return null;
    if (rule !== 'free') first ??= rule;
  }
  return first;
}

interface ItemSight extends AllowSight {
  /** A rule for every call of the tool. */
  readonly whole: Rule | undefined;
}

async function allowsItem(item: TouchedItem, { tool, readOnly }: Touched, sight: ItemSight): Promise<Rule | 'free' | null> {
  switch (item.kind) {
    case 'file':
      if (readOnly && item.access === 'read' && isInside(item.place, 'read', sight.scope)) return 'free';
      return allowsFile(item, tool, sight) ?? (isInside(item.place, item.access, sight.scope) ? (sight.whole ?? null) : null);
    case 'command':
      return sight.whole ?? (await allowsLine(item, sight));
    case 'url':
      return sight.whole ?? sight.rules.find((rule) => allowsHost(rule, item.host)) ?? null;
    case 'other': {
      const { text, code = false } = item;
      if (sight.whole !== undefined || text === undefined) return sight.whole ?? null;
      const allows = ({ other }: Rule): boolean => other !== undefined && matchWildcard(other, text) === 'yes';
      return (
        sight.rules.find((rule) => rule.form === 'tool' && isNamed(rule, tool) && (code ? allowsCode(rule, text) : allows(rule))) ?? null
      );
    }
  }
}

function isNamed(rule: Rule, tool: string): boolean {
  return matchWildcard(rule.tool, tool) === 'yes';
}

/** The rule that allows this access where the path leads; one must allow it as written too. Only the operator's allow what lies outside. */
export function allowsFile(
  { access, place }: Omit<TouchedFile, 'kind'>,
  tool: string,
  sight: Pick<AllowSight, 'rules' | 'basesOf' | 'scope'>,
): Rule | null {
  const { shown, real } = place;
  if (real === null) return null;
  const roots = access === 'write' ? sight.scope.writable : sight.scope.readable;
  const allows = (path: string): Rule | undefined => {
    const inside = roots.some((root) => isWithin(root, path));
    return sight.rules.find((rule) => {
      if (rule.form === 'tool' ? !isNamed(rule, tool) : rule.form !== access) return false;
      if (rule.path === undefined) return inside && rule.bare && rule.form !== 'tool';
      return (inside || rule.owner === 'operator') && matchPath(rule.path, path, sight.basesOf(rule));
    });
  };
  return allows(shown) === undefined ? null : (allows(real) ?? null);
}

function allowsHost({ form, bare, domain, owner }: Rule, host: string | null): boolean {
  if (form !== 'url' || host === null) return false;
  if (owner !== 'operator' && !isPublicName(host)) return false;
  return bare || (domain !== undefined && matchDomain(domain, host));
}

async function allowsLine(line: TouchedCommand, sight: AllowSight): Promise<Rule | 'free' | null> {
  if (!line.reading.understood || line.parts.length === 0) return null;
  let first: Rule | null = null;
  for (const part of line.parts) {
    const rule = allowsPart(part, await programReadsInside(part, line, sight), sight);
    if (rule === null) return null;
    if (rule !== 'free') first ??= rule;
  }
  return first ?? 'free';
}

/** @param reads the program only reads what lies inside, so that it needs no rule */
function allowsPart({ part, unknown, files }: TouchedPart, reads: boolean, sight: AllowSight): Rule | 'free' | null {
  const rule = sight.rules.find((each) => each.form === 'command' && allowsProgram(each, part));
  if (unknown.redirect || (rule === undefined && !reads)) return null;
  let allowing = rule ?? null;
  for (const { access, place } of files.filter((file) => file.redirect)) {
    const free = isInside(place, access, sight.scope) && (access === 'read' || sight.edits || rule?.bare === true);
    const own = allowsFile({ access, place }, '', sight);
    if (!free && own === null) return null;
    allowing ??= own;
  }
  return allowing ?? 'free';
}

/** Variables that change nothing of what a program does but how it speaks. */
const HARMLESS_VARIABLE = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|TERM|COLUMNS|LINES|CI|NODE_ENV|RUST_BACKTRACE)$/;
const HARMLESS_VALUE = /^[\w.:,@+-]*$/;
/** Options by which a search removes or writes files. Those, and what starts programs, a rule must name. */
const CHANGES_FILES = /^-delete$|^-f(print|ls)/;

type Reading = Pick<Program, 'words' | 'open'>;

function allowsProgram({ bare, command }: Rule, part: CommandPart): boolean {
  if (bare || command === undefined) return bare;
  if (part.opaque || !part.assignments.every(isHarmless)) return false;
  return readings(part.words).some((program) => allowsReading(command, program));
}

function allowsReading(command: CommandPattern, { words, open }: Reading): boolean {
  const name = words[0]?.value ?? null;
  const text = words.map(({ written }) => written).join(' ');
  if (name === null || matchCommand(command, text, open) !== 'yes') return false;
  const starts = startsProgram(programName(name));
  if (starts === undefined) return true;
  const named = command.head.split(' ');
  return words.every(({ value }) => value !== null && (named.includes(value) || !(starts.test(value) || CHANGES_FILES.test(value))));
}

function isHarmless({ name, value }: CommandAssignment): boolean {
  return HARMLESS_VARIABLE.test(name) && value !== null && HARMLESS_VALUE.test(value);
}

/** The command as it stands, and behind wrappers that change nothing of it. A wrapper named by a path may be another program. */
function readings(given: readonly CommandWord[]): readonly Reading[] {
  const found: Reading[] = [{ words: given, open: false }];
  for (let program = found[0]; program?.words[0]?.value?.includes('/') === false; program = found.at(-1)) {
    const unwrapped = unwrap(program.words);
    if (unwrapped.kind !== 'wrapper' || !unwrapped.plain || unwrapped.inner.length === 0) break;
    found.push({ words: unwrapped.inner, open: program.open || unwrapped.more });
  }
  return found;
}
