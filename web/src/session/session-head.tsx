import type { Todo } from '../model/session-model.ts';
import { stateOf } from '../model/session-state.ts';
import { follow } from '../navigation.ts';
import { StateTag } from '../parts/state-tag.tsx';
import type { LiveSession } from './live-session.ts';

/** Which session this is, and how it stands. */
export function SessionHead({ session }: { session: LiveSession }) {
  const { model, version, id } = session;
  // The model is changed in place.
  void version.value;
  const { name = id } = model;
  return (
    <header class="session-head">
      <a class="back" href="/console" onClick={follow}>
        ‹ Sessions
      </a>
      <h1 title={name}>{name}</h1>
      <StateTag state={stateOf(model)} />
      {model.mode !== undefined && <span class="tag mode">{model.mode}</span>}
      {name !== id && <span class="path id">{id}</span>}
      {model.cwd !== undefined && (
        <span class="path" title={model.cwd}>
          {model.cwd}
        </span>
      )}
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
