// An assistant message, pasted as a model's API returned it: see what it would do, then run it.
import { EXAMPLES, type Example } from '../model/example-messages.ts';
import { newMark, withNewIds } from '../model/new-ids.ts';
import { pretty, readJson } from '../model/read-json.ts';
import { goTo, place, sessionPath } from '../navigation.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { JsonEditor } from '../parts/json-editor.tsx';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';
import { draftOf, runDraft } from './draft.ts';
import { PlanTable } from './plan-table.tsx';

export function Composer({ session }: { session: LiveSession }) {
  const draft = draftOf(session.id);
  const { text, plan, busy } = draft;
  const action = useAction();
  const { value, fault } = readJson(text.value);
  const write = (message: unknown): void => {
    text.value = pretty(withNewIds(message, newMark()));
    draft.fault.value = null;
  };
  const show = async (): Promise<void> => {
    const of = text.value;
    // It was read as an object.
    plan.value = { of, plan: await session.remote.plan(value as object) };
  };
  const run = async (): Promise<void> => {
    const isTaken = await runDraft(session.id, value as object);
    const { sessionId, tab } = place.value;
    // Who has gone elsewhere meanwhile stays there.
    if (isTaken && sessionId === session.id && tab === 'run') goTo(sessionPath(session.id));
  };
  return (
    <div class="composer">
      <p>
        Paste one assistant message with tool calls: of the Anthropic Messages API, of OpenAI Chat Completions, or a response of OpenAI
        Responses.
      </p>
      <div class="actions" role="group" aria-label="Examples">
        <span class="hint">Insert an example:</span>
        {(Object.keys(EXAMPLES) as Example[]).map((name) => (
          <button key={name} type="button" onClick={() => write(EXAMPLES[name])}>
            {name}
          </button>
        ))}
      </div>
      <JsonEditor label="Assistant message" text={text} rows={16} />
      <div class="actions">
        <button type="button" disabled={action.busy.value || fault !== undefined} onClick={() => action.run(show)}>
          Show the plan
        </button>
        <button type="button" class="primary" disabled={busy.value || fault !== undefined} onClick={() => void run()}>
          Run
        </button>
        <button type="button" class="quiet" disabled={fault !== undefined} onClick={() => write(value)}>
          New ids
        </button>
        {draft.ran.value === text.value && text.value !== '' && (
          <span class="hint">This has run. A session takes the id of a call once: give it new ids to run it again.</span>
        )}
      </div>
      <FaultNote fault={action.fault} />
      <FaultNote fault={draft.fault} />
      {plan.value !== null && plan.value.of === text.value && <PlanTable plan={plan.value.plan} />}
    </div>
  );
}
