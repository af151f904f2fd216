// What several hooks say together.
import type { HookEvent, HookVerdict } from '../contract/index.ts';

const STRICTNESS = ['deny', 'ask', 'allow'] as const;

/**
 * The strictest behavior with the reasons of those who gave it; the last update wins; all context is kept, equal texts once.
 * @param verdicts in config order
 */
export function mergeVerdicts(verdicts: readonly HookVerdict[]): HookVerdict {
  const behavior = STRICTNESS.find((one) => verdicts.some((verdict) => verdict.behavior === one));
  const reasons = distinct(verdicts.flatMap((one) => (one.behavior === behavior && one.reason ? [one.reason] : [])));
  const { updatedInput } = verdicts.findLast((one) => one.updatedInput !== undefined) ?? {};
  const { updatedOutput } = verdicts.findLast((one) => one.updatedOutput !== undefined) ?? {};
  const { stop } = verdicts.find((one) => one.stop !== undefined) ?? {};
  return {
    ...(behavior && { behavior }),
    ...(behavior && reasons.length > 0 && { reason: reasons.join('\n') }),
    ...(updatedInput && behavior !== 'deny' && { updatedInput }),
    ...(updatedOutput !== undefined && { updatedOutput }),
    ...(stop && { stop }),
    additionalContext: distinct(verdicts.flatMap((one) => one.additionalContext)),
    notes: distinct(verdicts.flatMap((one) => one.notes)),
  };
}

/** What a session's hook may say: its yes is no opinion, and an answer to a question of permission only a no. */
export function tightened(verdict: HookVerdict, event: HookEvent): HookVerdict {
  if (verdict.behavior !== 'allow') return verdict;
  const { behavior: _, reason: _reason, updatedInput, ...rest } = verdict;
  return updatedInput && event !== 'PermissionRequest' ? { ...rest, updatedInput } : rest;
}

/** Without what a hook said of an input that is not the call's any more; its no and its doubt stay. */
export function withoutConsent(verdict: HookVerdict): HookVerdict {
  const { updatedInput: _, ...rest } = verdict;
  if (rest.behavior !== 'allow') return rest;
  const { behavior: _behavior, reason: _reason, ...silent } = rest;
  return silent;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
