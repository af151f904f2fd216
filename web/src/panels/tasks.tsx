// What goes on in the background, with its output as it grows.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Task } from '../../../client/src/index.ts';
import { inWords } from '../connection.ts';
import { showBytes, showMs, showTime } from '../model/durations.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useAction } from '../parts/use-action.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import type { LiveSession } from '../session/live-session.ts';

const EVERY_MS = 2_000;
/** Characters of output that are shown. */
const SHOWN_CHARS = 100_000;

export function Tasks({ session }: { session: LiveSession }) {
  const { tasks } = session.remote;
  const ended = session.version.value >= 0 ? session.model.tasks.size : 0;
  const listed = useLoaded(() => tasks.list(), [session, ended]);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && listed.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [session]);
  const all = listed.value.value;
  return (
    <div>
      <FaultNote fault={listed.fault} />
      {all?.length === 0 && <p class="empty">Nothing runs in the background. A running call can be moved here.</p>}
      <ol class="cards">
        {all?.map((task) => (
          <li key={task.id}>
            <OneTask session={session} task={task} onStopped={listed.reload} />
          </li>
        ))}
      </ol>
    </div>
  );
}

const TONES = { running: 'running', completed: 'ok', failed: 'error', stopped: 'stopped' } as const;

function OneTask({ session, task, onStopped }: { session: LiveSession; task: Task; onStopped: () => void }) {
  const isOpen = useSignal(false);
  const action = useAction();
  const { tasks } = session.remote;
  const stop = async (): Promise<void> => {
    await tasks.stop(task.id);
    onStopped();
  };
  const lasted = task.ended_at === undefined ? '' : ` · ${showMs(Date.parse(task.ended_at) - Date.parse(task.started_at))}`;
  const code = task.exit_code === undefined ? '' : ` · exit code ${task.exit_code}`;
  return (
    <section class="card" aria-label={task.id}>
      <h2>
        <span class="tag" data-tone={TONES[task.status]}>
          {task.status}
        </span>{' '}
        <span class="mono">{task.command ?? task.description ?? task.id}</span>
      </h2>
      <p class="hint">
        {task.kind} · since {showTime(task.started_at)}
        {lasted}
        {code} · {showBytes(task.output_bytes)} of output
      </p>
      {isOpen.value && <TaskOutput session={session} task={task} />}
      <div class="actions">
        <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          Output
        </button>
        {task.status === 'running' && (
          <button type="button" class="danger" disabled={action.busy.value} onClick={() => action.run(stop)}>
            Stop
          </button>
        )}
      </div>
      <FaultNote fault={action.fault} />
    </section>
  );
}

function TaskOutput({ session, task }: { session: LiveSession; task: Task }) {
  const text = useSignal('');
  const offset = useSignal(0);
  const fault = useSignal<string | null>(null);
  const { tasks } = session.remote;
  useEffect(() => {
    let isLeft = false;
    const read = async (): Promise<void> => {
      const part = await tasks.output(task.id, offset.peek());
      if (isLeft) return;
      text.value = (text.peek() + part.output).slice(-SHOWN_CHARS);
      offset.value = part.next_offset;
      if (part.next_offset > part.offset) await read();
    };
    read().catch((error: unknown) => (fault.value = inWords(error)));
    return () => void (isLeft = true);
    // The list is asked for again and again: each time it says how much there is.
  }, [task.output_bytes, task.status]);
  return (
    <>
      <pre class="text-terminal live" tabIndex={0}>
        {text.value === '' ? '(nothing yet)' : text.value}
      </pre>
      <FaultNote fault={fault} />
    </>
  );
}
