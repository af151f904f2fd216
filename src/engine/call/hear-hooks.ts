// What hooks say of a call: heard, passed on to people, and put beside the result for the model.
import type { HookedCall, HookOccasion, HookVerdict, ResultContent } from '../../contract/index.ts';
import type { CallCase } from './call-case.ts';
import { observableInput } from '../prepare/observable.ts';
import type { ReadyCall } from '../prepare/prepare.ts';
import { sanitizeError } from '../sanitize/sanitize-error.ts';

/** Who hooks are heard for. */
type Listener = Pick<CallCase, 'guards' | 'permissions' | 'progress' | 'halt'>;

/** Runs the hooks of an occasion. What they say to people passes by as progress, and one that ends the turn has ended it. */
export async function hearHooks(listener: Listener, occasion: HookOccasion, signal: AbortSignal): Promise<HookVerdict> {
  const verdict = await listener.guards.hooks.run(occasion, listener.permissions, signal);
  for (const text of verdict.notes) listener.progress({ kind: 'hook', text });
  if (verdict.stop !== undefined) listener.halt(verdict.stop.reason);
  return verdict;
}

/** A call as hooks see it. */
export function hooked({ use, permissions }: CallCase, { tool, input }: ReadyCall): HookedCall {
  return { toolUseId: use.id, tool, input: observableInput(tool, input, permissions) };
}

/** What hooks that are heard after the fact have for the model. */
export function feedbackOf({ behavior, reason, additionalContext }: HookVerdict): string[] {
  return behavior === 'deny' && reason !== undefined ? [reason, ...additionalContext] : [...additionalContext];
}

/** Adds the notes of hooks to a result. Hooks may repeat what a tool printed, so their text is made safe as that of errors is. */
export function withNotes(content: ResultContent, notes: readonly string[] = []): ResultContent {
  const text = notes
    .filter((note) => note !== '')
    .map((note) => `[hook] ${sanitizeError(note)}`)
    .join('\n\n');
  if (text === '') return content;
  if (typeof content === 'string') return `${content}\n\n${text}`;
  // Models' APIs refuse a text beside references.
  return content.some(({ type }) => type === 'tool_reference') ? content : [...content, { type: 'text', text }];
}
