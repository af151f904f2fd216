// What a person writes to run in a session. It outlives the panel: they go to look at the timeline and come back.
import { effect, signal, type Signal } from '@preact/signals';
import { client, inWords } from '../connection.ts';
import type { Plan } from '../../../client/src/index.ts';

export interface Draft {
  readonly text: Signal<string>;
  readonly plan: Signal<{ readonly of: string; readonly plan: Plan } | null>;
  /** Why it did not run. */
  readonly fault: Signal<string | null>;
  /** While the service has not taken it yet. */
  readonly busy: Signal<boolean>;
  /** The text that ran last: its ids are used up. */
  readonly ran: Signal<string | null>;
}

const MOST_DRAFTS = 20;
const drafts = new Map<string, Draft>();

// Another key is another person.
effect(() => {
  void client.value;
  drafts.clear();
});

export function draftOf(sessionId: string): Draft {
  const draft = drafts.get(sessionId) ?? {
    text: signal(''),
    plan: signal(null),
    fault: signal(null),
    busy: signal(false),
    ran: signal(null),
  };
  drafts.delete(sessionId);
  drafts.set(sessionId, draft);
  const [oldest] = drafts.keys();
  if (drafts.size > MOST_DRAFTS && oldest !== undefined) drafts.delete(oldest);
  return draft;
}

/** @returns whether the service has taken the message, which then goes on without this page; if not, the draft has the reason */
export async function runDraft(sessionId: string, message: object): Promise<boolean> {
  const draft = draftOf(sessionId);
  const text = draft.text.value;
  draft.fault.value = null;
  draft.busy.value = true;
  try {
    // Another turn may have to end first.
    await client.value.sessions.open(sessionId).run(message, { wait: false });
    draft.ran.value = text;
    return true;
  } catch (error) {
    draft.fault.value = inWords(error);
    return false;
  } finally {
    draft.busy.value = false;
  }
}
