// A call that asks whether it may run: allow it as it is or changed, deny it with a reason, and for how long.
import { useSignal, type Signal } from '@preact/signals';
import { showTime } from '../model/durations.ts';
import { planOf } from '../model/questions.ts';
import { pretty, readJson } from '../model/read-json.ts';
import type { PendingApproval } from '../model/session-model.ts';
import type { Approval } from '../model/wire.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { JsonEditor } from '../parts/json-editor.tsx';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';
import { ApprovalInput } from './approval-input.tsx';
import { Suggestions } from './suggestions.tsx';

type Editing = 'input' | 'denial' | null;

export function ApprovalCard({ session, pending: { approval } }: { session: LiveSession; pending: PendingApproval }) {
  const editing = useSignal<Editing>(null);
  const input = useSignal('');
  const message = useSignal('');
  const chosen = useSignal<readonly number[]>([]);
  const action = useAction();
  const { approvals } = session.remote;
  const edit = async (): Promise<void> => {
    input.value = pretty((await whole(approval, approvals.list)).input);
    editing.value = 'input';
  };
  const answers = {
    allow: (): Promise<unknown> => {
      // What the editor holds was read as an object.
      const updated = editing.value === 'input' && { updated_input: readJson(input.value).value as Record<string, unknown> };
      const rules = chosen.value.length > 0 && { apply_suggestions: [...chosen.value] };
      return approvals.answer(approval.id, { behavior: 'allow', ...updated, ...rules });
    },
    deny: (): Promise<unknown> => {
      const words = message.value.trim();
      return approvals.answer(approval.id, { behavior: 'deny', ...(words !== '' && { message: words }) });
    },
  };
  return (
    <article class="ask" aria-label={`${approval.name} asks for approval`}>
      <header>
        <h2>{planOf(approval.input) === null ? `May ${approval.name} run?` : 'Carry out this plan?'}</h2>
        <span class="hint">until {showTime(approval.expires_at)}</span>
      </header>
      <p>{approval.reason}</p>
      {editing.value === 'input' ? <JsonEditor label="Input to run with" text={input} /> : <ApprovalInput input={approval.input} />}
      <Suggestions approval={approval} chosen={chosen} />
      {editing.value === 'denial' && (
        <label>
          What the model is told
          <input type="text" value={message.value} onInput={({ currentTarget }) => (message.value = currentTarget.value)} />
        </label>
      )}
      <Buttons
        editing={editing}
        busy={action.busy.value}
        isValid={editing.value !== 'input' || readJson(input.value).fault === undefined}
        onAllow={() => action.run(answers.allow)}
        onDeny={() => action.run(answers.deny)}
        onEdit={() => action.run(edit)}
      />
      <FaultNote fault={action.fault} />
    </article>
  );
}

interface ButtonsProps {
  readonly editing: Signal<Editing>;
  readonly busy: boolean;
  readonly isValid: boolean;
  readonly onAllow: () => void;
  readonly onDeny: () => void;
  readonly onEdit: () => void;
}

/** A denial is said why first; nothing is sent by one press that was meant for something else. */
function Buttons({ editing, busy, isValid, onAllow, onDeny, onEdit }: ButtonsProps) {
  return (
    <div class="actions">
      {editing.value !== 'denial' && (
        <button type="button" class="primary" disabled={busy || !isValid} onClick={onAllow}>
          {editing.value === 'input' ? 'Allow with this input' : 'Allow'}
        </button>
      )}
      {editing.value === null && (
        <>
          <button type="button" onClick={() => (editing.value = 'denial')}>
            Deny…
          </button>
          <button type="button" class="quiet" disabled={busy} onClick={onEdit}>
            Edit input
          </button>
        </>
      )}
      {editing.value === 'denial' && (
        <button type="button" class="danger" disabled={busy} onClick={onDeny}>
          Deny
        </button>
      )}
      {editing.value !== null && (
        <button type="button" class="quiet" onClick={() => (editing.value = null)}>
          Back
        </button>
      )}
    </div>
  );
}

/** The approval with all of its input, which the first frame of a socket shortens where it is long. */
async function whole(approval: Approval & { input_shortened?: true }, list: () => Promise<Approval[]>): Promise<Approval> {
  if (approval.input_shortened !== true) return approval;
  return (await list()).find(({ id }) => id === approval.id) ?? approval;
}
