// Whether a rule that forbids or asks is about a call: any part of it that matches is enough, and so is any spelling of it.
import { matchCommand } from '../patterns/command-pattern.ts';
import { matchDomain } from '../patterns/domain-pattern.ts';
import type { Access } from '../touched/file-access.ts';
import { matchPath, type PathBases } from '../patterns/path-pattern.ts';
import type { Place } from '../paths/place.ts';
import type { Program } from '../touched/read-programs.ts';
import type { Rule } from './rule.ts';
import type { Touched, TouchedItem, TouchedUrl } from '../touched/touched.ts';
import type { TouchedCommand, TouchedPart } from '../touched/touched-command.ts';
import { forbidsCode } from './unread-code.ts';
import { matchWildcard, strongest, type Match } from '../patterns/wildcard.ts';

export interface MatchBases {
  readonly bases: PathBases;
  /** A sandbox keeps commands from the files that rules forbid, also those that a line does not name. */
  readonly sandboxed: boolean;
}

/** `maybe`: what the call does is not known well enough to say no. */
export function matchForbidding(rule: Rule, touched: Touched, where: MatchBases): Match {
  const named = matchWildcard(rule.tool, touched.tool) === 'yes';
  if (named && rule.bare) return 'yes';
  if (rule.form === 'tool' && !named) return 'no';
  return strongest(touched.items.map((item) => matchItem(rule, item, where)));
}

function matchItem(rule: Rule, item: TouchedItem, where: MatchBases): Match {
  switch (item.kind) {
    case 'file':
      return concernsAccess(rule, item.access) && matchesPlace(rule, item.place, where.bases) ? 'yes' : 'no';
    case 'command':
      return matchLine(rule, item, where);
    case 'url':
      return matchUrl(rule, item);
    case 'other':
      if (item.code === true) return forbidsCode(rule, item.text ?? '', where.sandboxed);
      if (rule.form !== 'tool') return 'no';
      // A tool that does not say what it touches may touch just that.
      return item.text === undefined || (rule.other !== undefined && matchWildcard(rule.other, item.text) === 'yes') ? 'yes' : 'no';
  }
}

/** A file that may not be read may not be written either: an edit shows what it held. */
function concernsAccess({ form, behavior }: Rule, access: Access): boolean {
  if (form === 'read') return access !== 'write' || behavior === 'deny';
  return form === 'tool' || (form === 'write' && access !== 'read');
}

function matchesPlace({ path, bare }: Rule, { shown, real }: Place, bases: PathBases): boolean {
  if (bare || path === undefined) return bare;
  return matchPath(path, shown, bases) || (real !== null && matchPath(path, real, bases));
}

function matchLine(rule: Rule, line: TouchedCommand, where: MatchBases): Match {
  if (rule.form === 'command' && rule.bare) return 'yes';
  const missed: Match = line.reading.understood ? 'no' : 'maybe';
  if (rule.form === 'command' || rule.form === 'tool') {
    return strongest([missed, ...line.parts.map((part) => matchPrograms(rule, part))]);
  }
  if (rule.form === 'url') return 'no';
  const used = line.parts.flatMap(({ files }) => files).filter(({ access }) => concernsAccess(rule, access));
  // Programs read and write all the time: without brackets a rule is about tools, and about what a line itself writes.
  if (rule.bare) return rule.form === 'write' && used.some(({ redirect }) => redirect) ? 'yes' : 'no';
  const matching = used.filter(({ place }) => matchesPlace(rule, place, where.bases));
  if (matching.some(({ access }) => rule.form === 'read' || access === 'write')) return 'yes';
  if (matching.length > 0 && !where.sandboxed) return 'maybe';
  return !where.sandboxed && (missed === 'maybe' || hidesFiles(rule, line)) ? 'maybe' : 'no';
}

function hidesFiles({ form }: Rule, { moves, parts }: TouchedCommand): boolean {
  return (
    moves === 'unknown' ||
    parts.some(({ unknown, unclear }) => unclear || unknown.write || unknown.redirect || (form === 'read' && unknown.read))
  );
}

function matchPrograms({ command, other }: Rule, { programs, unclear, part }: TouchedPart): Match {
  if (command === undefined) return other !== undefined && matchWildcard(other, part.text) === 'yes' ? 'yes' : 'no';
  const written = matchCommand(command, part.text);
  return strongest([unclear ? 'maybe' : 'no', written, ...programs.map((program) => matchCommand(command, ...knownText(program)))]);
}

/** The words of a program up to the first that only the shell knows. */
function knownText({ words, open }: Program): [text: string, open: boolean] {
  const values = words.map(({ value }) => value);
  const end = values.indexOf(null);
  return [values.slice(0, end === -1 ? undefined : end).join(' '), open || end !== -1];
}

function matchUrl(rule: Rule, { host }: TouchedUrl): Match {
  if (rule.form !== 'url' && rule.form !== 'tool') return 'no';
  if (rule.bare || host === null) return 'yes';
  return rule.domain !== undefined && matchDomain(rule.domain, host) ? 'yes' : 'no';
}
