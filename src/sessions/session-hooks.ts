// The hooks that stand at the two ends of a session.
import type { Hooks, PermissionContext } from '../contract/index.ts';

/** Milliseconds that the hooks at the end of a session may take: whoever deletes it waits for them. */
const END_MS = 5_000;

/** @returns what the hooks want the model to know, with its first result */
export async function hearStart(hooks: Hooks, context: PermissionContext, source: 'startup' | 'resume'): Promise<readonly string[]> {
  if (!hooks.listens('SessionStart')) return [];
  const { additionalContext } = await hooks.run({ event: 'SessionStart', source }, context, new AbortController().signal);
  return additionalContext;
}

export async function hearEnd(hooks: Hooks, context: PermissionContext, reason: string): Promise<void> {
  if (hooks.listens('SessionEnd')) await hooks.run({ event: 'SessionEnd', reason }, context, AbortSignal.timeout(END_MS));
}
