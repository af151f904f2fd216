import { messageOf } from '../../contract/index.ts';
import { parseRule, widestRule, type Rule, type RuleBehavior, type RuleContext, type RuleOwner } from './rule.ts';

/** Texts of rules, as an operator or a client writes them. */
export interface RuleTexts {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** All rules of a session. */
export interface BothRules {
  /** `/x` in the operator's starts at `source`, the workspace when absent. */
  readonly operator: RuleTexts & { readonly source?: string };
  readonly session: RuleTexts;
  /** Primary name of the tool that a name or alias stands for; the name itself when there is none. */
  readonly canonicalName: (name: string) => string;
}

export interface RuleIssue {
  /** Such as `deny[2]`. */
  readonly path: string;
  readonly message: string;
}

export interface ParsedRules {
  /** In this order: deny, ask, allow. A rule that forbids and cannot be read stands there at its widest; one that allows does not. */
  readonly rules: readonly Rule[];
  readonly issues: readonly RuleIssue[];
}

const BEHAVIORS: readonly RuleBehavior[] = ['deny', 'ask', 'allow'];
/** Characters of all rules of one owner: what matching can cost grows with them. */
const MAX_CHARS = 65_536;
const MAX_RULES = 1_500;

/** Reads all rules of one owner; a rule that cannot be read becomes an issue that says what to change. Never throws. */
export function parseRules(
  texts: RuleTexts,
  { owner, canonicalName }: Pick<RuleContext, 'canonicalName'> & { owner: RuleOwner },
): ParsedRules {
  const rules: Rule[] = [];
  const issues: RuleIssue[] = [...sizeIssues(texts)];
  for (const behavior of BEHAVIORS) {
    for (const [index, text] of texts[behavior].entries()) {
      const context: RuleContext = { behavior, owner, canonicalName };
      try {
        rules.push(parseRule(text, context));
      } catch (error) {
        const why = messageOf(error);
        issues.push({ path: `${behavior}[${index}]`, message: `${JSON.stringify(text.slice(0, 200))} is not a rule: ${why}.` });
        if (behavior !== 'allow') rules.push(widestRule(text, context));
      }
    }
  }
  return { rules, issues };
}

/** The rules that hold for a session, the operator's first. */
export function parseBoth({ operator, session, canonicalName }: BothRules): readonly Rule[] {
  return [
    ...parseRules(operator, { owner: 'operator', canonicalName }).rules,
    ...parseRules(session, { owner: 'session', canonicalName }).rules,
  ];
}

function sizeIssues(texts: RuleTexts): RuleIssue[] {
  const all = BEHAVIORS.flatMap((behavior) => texts[behavior]);
  const chars = all.reduce((sum, text) => sum + text.length, 0);
  if (all.length <= MAX_RULES && chars <= MAX_CHARS) return [];
  return [
    { path: 'rules', message: `At most ${MAX_RULES} rules with ${MAX_CHARS} characters in all can be given: write fewer, wider ones.` },
  ];
}
