// Events of an agent's session, as far as they are shown with the call that wants the agent.
import type { View } from '../../src/contract/index.ts';

type Told = Readonly<Record<string, unknown>>;

/** One line on what the agent did; `undefined` for what is not worth one. */
export function lineOf(event: Told): string | undefined {
  const { type, name, outcome } = event;
  if (type === 'call_started') return viewOf(event)?.title;
  if (type === 'tool_result' && outcome !== 'ok') return `${String(name)}: ${String(outcome).replaceAll('_', ' ')}`;
  if (type === 'approval_requested') return 'waits for a yes';
  return undefined;
}

/** The picture of a call that an event has with it. */
export function viewOf({ view }: Told): View | undefined {
  return typeof view === 'object' && view !== null && 'title' in view && typeof view.title === 'string' ? (view as View) : undefined;
}
