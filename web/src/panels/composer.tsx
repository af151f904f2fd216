// An assistant message, pasted as a model's API returned it: see what it would do, then run it.
import { useSignal } from '@preact/signals';
import type { Plan } from '../../../client/src/index.ts';
import { client, inWords } from '../connection.ts';
import { EXAMPLES, freshIds, type Example } from '../model/example-messages.ts';
import { pretty, readJson } from '../model/read-json.ts';
import { goTo, sessionPath } from '../navigation.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { JsonEditor } from '../parts/json-editor.tsx';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';
import { PlanTable } from './plan-table.tsx';

export function Composer({ session }: { session: LiveSession }) {
  const text = useSignal('');
  const plan = useSignal<{ readonly of: string; readonly plan: Plan } | null>(null);
  const running = useSignal<string | null>(null);
  const action = useAction();
  const { value, fault } = readJson(text.value, 'object');
  const open = client.value.sessions.open(session.id);
  const show = async (): Promise<void> => {
    // It was read as an object.
    plan.value = { of: text.value, plan: await open.plan(value as object) };
  };
  const run = (): void => {
    running.value = null;
    // It goes on without this page: what becomes of it is seen in the timeline.
    open.run(value as object).catch((error: unknown) => {
      running.value = inWords(error);
      goTo(sessionPath(session.id, 'run'));
    });
    goTo(sessionPath(session.id));
  };
  return (
    <div class="composer">
      <p>
        Paste one assistant message with tool calls: of the Anthropic Messages API, of OpenAI Chat Completions, or a response of OpenAI
        Responses.
      </p>
      <div class="actions" role="group" aria-label="Examples">
        {(Object.keys(EXAMPLES) as Example[]).map((name) => (
          <button key={name} type="button" onClick={() => (text.value = pretty(freshIds(EXAMPLES[name])))}>
            {name}
          </button>
        ))}
      </div>
      <JsonEditor label="Assistant message" text={text} rows={16} />
      <div class="actions">
        <button type="button" disabled={action.busy.value || fault !== undefined} onClick={() => action.run(show)}>
          Show the plan
        </button>
        <button type="button" class="primary" disabled={fault !== undefined} onClick={run}>
          Run
        </button>
      </div>
      <FaultNote fault={action.fault} />
      <FaultNote fault={running} />
      {plan.value !== null && plan.value.of === text.value && <PlanTable plan={plan.value.plan} />}
    </div>
  );
}
