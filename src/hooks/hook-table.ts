// Hooks that are ready to run: checked and compiled once, not at each call.
import type { z } from 'zod';
import { messageOf, pathText, HOOK_EVENTS, type HookEvent } from '../contract/index.ts';
import { compileMatcher, type Matcher } from './matcher.ts';
import { HookSettings, type HookGroup, type HookHandler, type HookSource } from './settings.ts';

/** Hooks that cannot be used; `path` is where in them, `message` what to change there. */
export class HookSettingsError extends Error {
  override readonly name = 'HookSettingsError';
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** One handler with all that decides when it runs. */
export interface Hook {
  readonly source: HookSource;
  readonly handler: HookHandler;
  readonly matcher: Matcher;
  /** Permission rules that must all match. */
  readonly rules: readonly string[];
  /** Where it stands in its settings: for people, since a command or URL may hold a secret. */
  readonly label: string;
  /** Equal for handlers that do the same. */
  readonly identity: string;
}

export type HookTable = Readonly<Partial<Record<HookEvent, readonly Hook[]>>>;

export interface HookReading {
  readonly source: HookSource;
  /** What is wrong with a permission rule, or `undefined`. */
  readonly checkRule: (rule: string) => string | undefined;
}

const MAX_HOOKS = 100;
/** States of all patterns together: what is larger is meant to be slow. */
const MAX_PATTERN_SIZE = 10_000;
/** Events that are about one call, which a permission rule can match. */
const ABOUT_A_CALL: ReadonlySet<HookEvent> = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
]);

/**
 * Checks hooks as they were written down, and compiles them.
 * @throws HookSettingsError that names the place
 */
export function readHooks(settings: unknown, { source, checkRule }: HookReading): HookTable {
  const groups = HookSettings[source].safeParse(settings);
  if (!groups.success) throw settingsError(groups.error);
  const table: Partial<Record<HookEvent, readonly Hook[]>> = {};
  const budget = { hooks: MAX_HOOKS, patternSize: MAX_PATTERN_SIZE };
  for (const event of HOOK_EVENTS) {
    const ofEvent = (groups.data[event] ?? []).flatMap((group, index) => {
      const place: Place = { event, path: `${event}[${index}]`, source, checkRule };
      return hooksOf(group, place, budget);
    });
    if (ofEvent.length > 0) table[event] = ofEvent;
  }
  return table;
}

interface Place extends HookReading {
  readonly event: HookEvent;
  readonly path: string;
}

interface Budget {
  hooks: number;
  patternSize: number;
}

function hooksOf(group: HookGroup, place: Place, budget: Budget): Hook[] {
  const matcher = matcherOf(group.matcher, place);
  budget.patternSize -= matcher.size;
  if (budget.patternSize < 0)
    throw new HookSettingsError(`${place.path}.matcher`, 'the patterns are too large together: make them simpler');
  budget.hooks -= group.hooks.length;
  if (budget.hooks < 0) throw new HookSettingsError(place.path, `these are more than ${MAX_HOOKS} hooks together: give fewer`);
  const ofGroup = ruleOf(group.if, place, `${place.path}.if`);
  return group.hooks.map((handler, index) => {
    const path = `${place.path}.hooks[${index}]`;
    const { if: own, statusMessage: _, ...does } = handler;
    const rules = [...ofGroup, ...ruleOf(own, place, `${path}.if`)];
    return { source: place.source, handler, matcher, rules, label: `${path} of the ${place.source}`, identity: JSON.stringify(does) };
  });
}

function matcherOf(text: string, { path }: Place): Matcher {
  try {
    return compileMatcher(text);
  } catch (error) {
    throw new HookSettingsError(`${path}.matcher`, messageOf(error));
  }
}

function ruleOf(rule: string | undefined, { event, checkRule }: Place, path: string): string[] {
  if (rule === undefined) return [];
  if (!ABOUT_A_CALL.has(event))
    throw new HookSettingsError(path, `${event} is not about one call, so that no rule matches it: leave "if" out`);
  const fault = checkRule(rule);
  if (fault !== undefined) throw new HookSettingsError(path, fault);
  return [rule];
}

function settingsError({ issues: [issue] }: z.ZodError): HookSettingsError {
  const path = pathText(issue?.path ?? []);
  if (issue?.code === 'unrecognized_keys') {
    const keys = issue.keys.join(', ');
    if (path !== '') return new HookSettingsError(path, `${keys} is not known here: leave it out`);
    return new HookSettingsError(keys, `that is no event of hooks: give one of ${HOOK_EVENTS.join(', ')}`);
  }
  if (issue?.code === 'invalid_key') return new HookSettingsError(path, issue.issues[0]?.message ?? issue.message);
  return new HookSettingsError(path, issue?.message ?? 'it cannot be read');
}
