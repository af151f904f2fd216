// People's answers to what a session asks. Those that are to hold from now on become rules of the session.
import { Problem, type ApprovalSummary } from '../contract/index.ts';
import type { ApprovalDecision } from './approvals.ts';
import type { Session } from './session.ts';
import type { SessionSettings } from './session-options.ts';

export interface ApprovalReply extends ApprovalDecision {
  readonly approvalId: string;
  /** The narrowest suggested rule becomes one of the session, with the answer's behaviour. */
  readonly remember?: 'session';
  /** These suggested rules do. */
  readonly applySuggestions?: readonly number[];
}

/**
 * Takes people's answers; resolves when they are in the log. None is taken when one cannot be.
 * @throws Problem `approval-not-found`, `approval-already-resolved`, `invalid-request`, `store-unavailable`
 */
export async function answerApprovals(session: Session, replies: readonly ApprovalReply[]): Promise<void> {
  const asked = replies.map(({ approvalId }) => session.approvals.find(approvalId));
  const settings = withRules(
    session.settings,
    replies,
    asked.map(({ summary }) => summary),
  );
  if (settings !== session.settings) await session.change(settings);
  const resolved = asked.flatMap(({ turnId }) => session.openTurn(turnId) ?? []).map((turn) => turn.resolved());
  for (const reply of replies) session.approvals.answer(reply.approvalId, reply);
  await Promise.all(resolved);
}

/**
 * The settings with the rules that the answers ask for; the same object when there are none.
 * @throws Problem `invalid-request` for a suggestion that was not made
 */
function withRules(settings: SessionSettings, replies: readonly ApprovalReply[], asked: readonly ApprovalSummary[]): SessionSettings {
  const added = { allow: new Set<string>(), deny: new Set<string>() };
  for (const [index, reply] of replies.entries()) {
    for (const rule of rulesOf(reply, asked[index]?.suggestions ?? [])) added[reply.behavior].add(rule);
  }
  const { permissions } = settings;
  const [allow, deny] = [union(permissions.allow, added.allow), union(permissions.deny, added.deny)];
  if (allow === permissions.allow && deny === permissions.deny) return settings;
  return { ...settings, permissions: { ...permissions, allow, deny } };
}

function rulesOf({ approvalId, remember, applySuggestions = [] }: ApprovalReply, suggestions: ApprovalSummary['suggestions']): string[] {
  const wanted = [...(remember === 'session' && suggestions.length > 0 ? [0] : []), ...applySuggestions];
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
