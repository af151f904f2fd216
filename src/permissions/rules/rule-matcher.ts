// Rules outside of a policy: which calls a hook is for, and which tools a session never has.
import type { CommandReader, HookedCall, PermissionContext } from '../../contract/index.ts';
import { matchForbidding } from './match-forbidding.ts';
import { parseRules, type RuleTexts } from './parse-rules.ts';
import { scopeOf, type RealPath } from '../paths/place.ts';
import { basesOf, parseRule, type RuleContext } from './rule.ts';
import { touchedBy } from '../touched/touched.ts';
import { matchWildcard } from '../patterns/wildcard.ts';

export interface RuleMatcherOptions {
  readonly canonicalName: (name: string) => string;
  readonly commands: CommandReader;
  readonly realPath: RealPath;
  readonly home: string;
  readonly dataDir: string;
}

/** @returns whether a rule is about a call; also true when that cannot be told. It throws Error for a text that is no rule. */
export function createRuleMatcher(
  options: RuleMatcherOptions,
): (rule: string, call: HookedCall, context: PermissionContext) => Promise<boolean> {
  return async (text, { toolUseId, tool, input }, context) => {
    const rule = parseRule(text, { behavior: 'ask', owner: 'session', canonicalName: options.canonicalName });
    const scope = scopeOf(context, options);
    const touched = await touchedBy({ toolUseId, tool, input, readOnly: false }, context, {
      ...options,
      scope,
      filesOfCommands: rule.path !== undefined || rule.form === 'write',
    });
    return matchForbidding(rule, touched, { bases: basesOf(rule, scope), sandboxed: false }) !== 'no';
  };
}

/** @returns whether rules deny a tool of this name altogether, so that models do not see it */
export function toolDenier(texts: RuleTexts, context: Omit<RuleContext, 'behavior'>): (name: string) => boolean {
  const bare = parseRules(texts, context).rules.filter((rule) => rule.behavior === 'deny' && rule.bare);
  return (name) => bare.some(({ tool }) => matchWildcard(tool, name) === 'yes');
}
