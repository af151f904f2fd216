// Rules of the operator's skills that a session has begun to use. They allow as the operator's others do, and forbid nothing.
import { parseRules } from './parse-rules.ts';
import type { Rule, RuleContext } from './rule.ts';

/** @returns the rules of a state's grants, read once for as long as the list is there; a text that is no rule allows nothing */
export function readGrants(canonicalName: RuleContext['canonicalName']): (grants: readonly string[]) => readonly Rule[] {
  const known = new WeakMap<readonly string[], readonly Rule[]>();
  return (grants) => {
    const rules = known.get(grants) ?? parseRules({ allow: grants, ask: [], deny: [] }, { owner: 'operator', canonicalName }).rules;
    known.set(grants, rules);
    return rules;
  };
}
