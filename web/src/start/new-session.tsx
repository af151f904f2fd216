// A new session: a starting point to choose, and its options as JSON to change.
import { useSignal } from '@preact/signals';
import type { SessionOptions } from '../../../client/src/index.ts';
import { client } from '../connection.ts';
import { pretty, readJson } from '../model/read-json.ts';
import { goTo, sessionPath } from '../navigation.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { JsonEditor } from '../parts/json-editor.tsx';
import { useAction } from '../parts/use-action.ts';
import { loadSessions } from './session-list.tsx';

const PRESETS = {
  'Ask me': {
    about: 'Reads and sandboxed commands run, everything else is asked for.',
    options: { permissions: { mode: 'default' }, metadata: { name: 'Ask me' } },
  },
  'Edits run': {
    about: 'Edits inside of the workspace run too.',
    options: { permissions: { mode: 'acceptEdits' }, metadata: { name: 'Edits run' } },
  },
  'Plan first': {
    about: 'Nothing is changed until a plan is approved.',
    options: { permissions: { mode: 'plan' }, metadata: { name: 'Plan first' } },
  },
  'A directory': {
    about: 'Works in a directory of this machine, under a root that the operator allows.',
    options: {
      workspace: { path: '/path/to/a/project' },
      permissions: { mode: 'default', allow: ['Bash(git log:*)'], deny: ['Read(./.env)'] },
    },
  },
  'Nothing asked': {
    about: 'Nearly everything runs without being asked for. For throw-away workspaces.',
    options: { permissions: { mode: 'bypassPermissions' }, metadata: { name: 'Nothing asked' } },
  },
} as const;

type Preset = keyof typeof PRESETS;

export function NewSession() {
  const preset = useSignal<Preset>('Ask me');
  const text = useSignal(pretty(PRESETS['Ask me'].options));
  const action = useAction();
  const options = readJson(text.value);
  const choose = (name: Preset): void => {
    preset.value = name;
    text.value = pretty(PRESETS[name].options);
  };
  const create = async (): Promise<void> => {
    // Checked by the service, which says what is wrong.
    const session = await client.value.sessions.create(options.value as SessionOptions);
    await loadSessions();
    goTo(sessionPath(session.id, 'run'));
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(create);
      }}
    >
      <h1>New session</h1>
      <fieldset class="presets">
        <legend>Start from</legend>
        {(Object.keys(PRESETS) as Preset[]).map((name) => (
          <label key={name} class="preset">
            <input type="radio" name="preset" checked={preset.value === name} onChange={() => choose(name)} />
            <span>
              <b>{name}</b> {PRESETS[name].about}
            </span>
          </label>
        ))}
      </fieldset>
      <JsonEditor label="Options" text={text} rows={12} />
      <FaultNote fault={action.fault} />
      <button type="submit" class="primary" disabled={action.busy.value || options.fault !== undefined}>
        Create session
      </button>
    </form>
  );
}
