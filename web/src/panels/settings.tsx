// How the session is set: read as the service shows it, its permissions changed as JSON.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionInfo } from '../../../client/src/index.ts';
import { showTime } from '../model/durations.ts';
import { pretty, readJson } from '../model/read-json.ts';
import { goTo } from '../navigation.ts';
import { Facts } from '../parts/facts.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { JsonEditor } from '../parts/json-editor.tsx';
import { SureButton } from '../parts/sure-button.tsx';
import { useAction } from '../parts/use-action.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import type { LiveSession } from '../session/live-session.ts';
import { loadSessions } from '../start/session-list.tsx';

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto'] as const;

export function Settings({ session }: { session: LiveSession }) {
  const text = useSignal('');
  const saved = useSignal(false);
  const action = useAction();
  // The mode may change by what a call does.
  const loaded = useLoaded(() => session.remote.info(), [session, session.version.value >= 0 ? session.model.mode : '']);
  const info = loaded.value.value;
  useEffect(() => {
    if (info !== undefined) text.value = pretty(info.permissions);
  }, [info]);
  const save = async (permissions: unknown): Promise<void> => {
    saved.value = false;
    await session.remote.update({ permissions: permissions as object });
    saved.value = true;
    loaded.reload();
  };
  const { value, fault } = readJson(text.value);
  return (
    <div class="settings">
      <FaultNote fault={loaded.fault} />
      {info !== undefined && (
        <>
          <label>
            Mode{' '}
            <select
              value={info.permissions.mode}
              disabled={action.busy.value}
              onChange={({ currentTarget }) => action.run(() => save({ mode: currentTarget.value }))}
            >
              {MODES.map((mode) => (
                <option key={mode} value={mode}>
                  {mode}
                </option>
              ))}
            </select>
          </label>
          <JsonEditor label="Permissions" text={text} rows={14} />
          <div class="actions">
            <button
              type="button"
              class="primary"
              disabled={action.busy.value || fault !== undefined}
              onClick={() => action.run(() => save(value))}
            >
              Save permissions
            </button>
            <span role="status">{saved.value ? 'Saved.' : ''}</span>
          </div>
          <FaultNote fault={action.fault} />
          <About info={info} />
          <End session={session} />
        </>
      )}
    </div>
  );
}

function End({ session }: { session: LiveSession }) {
  const action = useAction();
  const remove = async (): Promise<void> => {
    await session.remote.delete();
    goTo('/console');
    await loadSessions();
  };
  return (
    <div class="actions">
      <SureButton
        label="Delete this session…"
        sure="Delete it and what runs in it"
        disabled={action.busy.value}
        onSure={() => action.run(remove)}
      />
      <FaultNote fault={action.fault} />
    </div>
  );
}

function About({ info }: { info: SessionInfo }) {
  return (
    <>
      <Facts
        facts={{
          Workspace: info.workspace.path + (info.workspace.ephemeral ? ' (goes with the session)' : ''),
          Sandbox: info.sandbox.mode === 'off' ? `off: ${info.sandbox.reason}` : info.sandbox.mode,
          Made: showTime(info.created_at),
          'Ends unless used': showTime(info.expires_at),
        }}
      />
      <details>
        <summary>Everything the service shows of it</summary>
        <pre tabIndex={0}>{pretty(info)}</pre>
      </details>
    </>
  );
}
