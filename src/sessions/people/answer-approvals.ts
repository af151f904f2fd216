// People's answers to what a session asks. Those that are to hold from now on become rules of the session.
import { Problem, type ApprovalSummary } from '../../contract/index.ts';
import type { ApprovalDecision } from './approvals.ts';
import type { Session } from '../session.ts';
import { MAX_RULES, type SessionSettings } from '../settings/session-options.ts';

export interface ApprovalReply extends ApprovalDecision {
  readonly approvalId: string;
  /** The narrowest suggested rule becomes one of the session, with the answer's behaviour; refused where there is none. */
  readonly remember?: 'session';
  /** These suggested rules do. */
  readonly applySuggestions?: readonly number[];
}

/**
 * Takes people's answers; resolves when they are in the log. None is taken when one cannot be.
 * @throws Problem `approval-not-found`, `approval-already-resolved`, `invalid-request`, `store-unavailable`
 */
export async function answerApprovals(session: Session, replies: readonly ApprovalReply[]): Promise<void> {
  const ids = replies.map(({ approvalId }) => approvalId);
  if (new Set(ids).size < ids.length) throw new Problem('invalid-request', 'Two decisions are about the same approval: give one for each.');
  const asked = session.approvals.claim(ids);
  try {
    const rules = rulesToAdd(
      replies,
      asked.map(({ summary }) => summary),
    );
    if (rules.allow.size + rules.deny.size > 0) await session.change((settings) => withRules(settings, rules));
  } catch (error) {
    session.approvals.unclaim(ids);
    throw error;
  }
  const kept = asked.flatMap(({ turnId, summary }) => session.turns.find(turnId)?.kept(summary.id) ?? []);
  for (const reply of replies) session.approvals.answer(reply.approvalId, reply);
  await Promise.all(kept);
}

interface AddedRules {
  readonly allow: ReadonlySet<string>;
  readonly deny: ReadonlySet<string>;
}

/** The rules that the answers ask for. @throws Problem `invalid-request` for a suggestion that was not made */
function rulesToAdd(replies: readonly ApprovalReply[], asked: readonly ApprovalSummary[]): AddedRules {
  const added = { allow: new Set<string>(), deny: new Set<string>() };
  for (const [index, reply] of replies.entries()) {
    for (const rule of rulesOf(reply, asked[index]?.suggestions ?? [])) added[reply.behavior].add(rule);
  }
  return added;
}

/** The settings with these rules; the same object when it has them. @throws Problem `invalid-request` when there are too many */
function withRules(settings: SessionSettings, added: AddedRules): SessionSettings {
  const { permissions } = settings;
  const [allow, deny] = [union(permissions.allow, added.allow), union(permissions.deny, added.deny)];
  if (allow === permissions.allow && deny === permissions.deny) return settings;
  if (allow.length > MAX_RULES || deny.length > MAX_RULES) {
    throw new Problem('invalid-request', `The session has ${MAX_RULES} rules in a list already: answer without a rule, or remove some.`);
  }
  return { ...settings, permissions: { ...permissions, allow, deny } };
}

function rulesOf({ approvalId, remember, applySuggestions = [] }: ApprovalReply, suggestions: ApprovalSummary['suggestions']): string[] {
  if (remember === 'session' && suggestions.length === 0) {
    const detail = `The approval ${approvalId} has no suggested rule that could be remembered: answer without remember.`;
    throw new Problem('invalid-request', detail, { issues: [{ path: 'remember', message: 'There is no suggested rule: leave it out.' }] });
  }
  const wanted = [...(remember === 'session' ? [0] : []), ...applySuggestions];
  return wanted.map((index) => {
    const suggestion = suggestions[index];
    if (suggestion !== undefined) return suggestion.rule;
    throw new Problem(
      'invalid-request',
      `The approval ${approvalId} has no suggestion ${index}: it has ${suggestions.length}, counted from 0.`,
    );
  });
}

function union(rules: string[], more: ReadonlySet<string>): string[] {
  const missing = [...more].filter((rule) => !rules.includes(rule));
  return missing.length === 0 ? rules : [...rules, ...missing];
}
