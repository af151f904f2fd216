// Context modifiers: the only way in which a tool changes a session.
import { frozenState, messageOf, type ContextModifier, type SessionState } from '../contract/index.ts';

/** Applies modifiers in emission order; one that throws is reported and skipped. */
export function applyModifiers(state: SessionState, modifiers: readonly ContextModifier[], report: (reason: string) => void): SessionState {
  let current = state;
  for (const modify of modifiers) {
    try {
      current = frozenState({ ...current, ...modify(current) });
    } catch (error) {
      report(messageOf(error));
    }
  }
  return current;
}

/** The keys whose values differ, or `undefined` when there are none. */
export function changedKeys(before: SessionState, after: SessionState): Partial<SessionState> | undefined {
  const changed = Object.entries(after).filter(([key, value]) => before[key as keyof SessionState] !== value);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
