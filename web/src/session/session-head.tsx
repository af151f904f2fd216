import { client } from '../connection.ts';
import { isOpen, type Todo } from '../model/session-model.ts';
import { follow, goTo } from '../navigation.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { SureButton } from '../parts/sure-button.tsx';
import { useAction } from '../parts/use-action.ts';
import { loadSessions } from '../start/session-list.tsx';
import type { LiveSession } from './live-session.ts';

/** Which session this is, how it stands, and its end. */
export function SessionHead({ session }: { session: LiveSession }) {
  const action = useAction();
  const { model, version, id } = session;
  const running = version.value >= 0 && model.turns.some(isOpen);
  const remove = async (): Promise<void> => {
    await client.value.sessions.open(id).delete();
    goTo('/console');
    await loadSessions();
  };
  return (
    <header class="session-head">
      <a class="back" href="/console" onClick={follow}>
        ‹ Sessions
      </a>
      <h1>{id}</h1>
      <span class="tag" data-tone={running ? 'running' : 'ok'}>
        {running ? 'running' : 'idle'}
      </span>
      {model.mode !== undefined && <span class="tag">{model.mode}</span>}
      {model.cwd !== undefined && (
        <span class="path" title={model.cwd}>
          {model.cwd}
        </span>
      )}
      <span class="grow" />
      <SureButton label="Delete…" sure="Delete it and what runs in it" disabled={action.busy.value} onSure={() => action.run(remove)} />
      <FaultNote fault={action.fault} />
      <Todos todos={model.todos} />
    </header>
  );
}

const TODO_SIGNS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', pending: '○' };

function Todos({ todos }: { todos: readonly Todo[] }) {
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <details class="todos">
      <summary>
        To do: {done} of {todos.length}
      </summary>
      <ul>
        {todos.map(({ content, status }) => (
          <li key={content} data-status={status}>
            <span aria-hidden="true">{TODO_SIGNS[status] ?? '○'}</span> {content} <span class="sr-only">({status})</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
