// The way back: what a rewind would change is shown first, then it is done.
import { useSignal } from '@preact/signals';
import type { Checkpoint, Rewind } from '../../../client/src/index.ts';
import { counted } from '../model/count.ts';
import { showTime } from '../model/durations.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useAction } from '../parts/use-action.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import type { LiveSession } from '../session/live-session.ts';

export function Checkpoints({ session }: { session: LiveSession }) {
  const { checkpoints } = session.remote;
  // A turn that has ended may have made one.
  const ended = session.version.value >= 0 ? session.model.turns.filter(({ endedAt }) => endedAt !== undefined).length : 0;
  const listed = useLoaded(() => checkpoints.list(), [session, ended]);
  const all = listed.value.value;
  return (
    <div>
      <FaultNote fault={listed.fault} />
      {all?.length === 0 && <p class="empty">No turn has written files yet. One that does can be taken back here.</p>}
      <ol class="cards">
        {all?.map((checkpoint) => (
          <li key={checkpoint.id}>
            <OneCheckpoint session={session} checkpoint={checkpoint} onRewound={listed.reload} />
          </li>
        ))}
      </ol>
    </div>
  );
}

interface OneCheckpointProps {
  readonly session: LiveSession;
  readonly checkpoint: Checkpoint;
  readonly onRewound: () => void;
}

function OneCheckpoint({ session, checkpoint, onRewound }: OneCheckpointProps) {
  const preview = useSignal<Rewind | null>(null);
  const done = useSignal<Rewind | null>(null);
  const action = useAction();
  const { checkpoints } = session.remote;
  const number = session.model.turnsById.get(checkpoint.turn_id)?.number;
  const look = async (): Promise<void> => {
    done.value = null;
    preview.value = await checkpoints.rewind(checkpoint.id, { dryRun: true });
  };
  const rewind = async (): Promise<void> => {
    done.value = await checkpoints.rewind(checkpoint.id);
    preview.value = null;
    onRewound();
  };
  return (
    <section class="card" aria-label={`Before turn ${number ?? checkpoint.turn_id}`}>
      <h2>Before turn {number ?? checkpoint.turn_id}</h2>
      <p class="hint">
        {showTime(checkpoint.created_at)} · it wrote {counted(checkpoint.files.length, 'file')}:{' '}
        <span class="mono">{checkpoint.files.slice(0, 8).join(', ')}</span>
        {checkpoint.files.length > 8 ? ' …' : ''}
      </p>
      {preview.value !== null && <Changes title="A rewind would" changes={preview.value} />}
      {done.value !== null && <Changes title="Done:" changes={done.value} />}
      <div class="actions">
        <button type="button" disabled={action.busy.value} onClick={() => action.run(look)}>
          Show what a rewind would change
        </button>
        {preview.value !== null && (
          <button type="button" class="danger" disabled={action.busy.value} onClick={() => action.run(rewind)}>
            Rewind
          </button>
        )}
      </div>
      <FaultNote fault={action.fault} />
    </section>
  );
}

function Changes({ title, changes: { restored, removed, skipped } }: { title: string; changes: Rewind }) {
  if (restored.length + removed.length + skipped.length === 0)
    return <p role="status">{title} change nothing: all files are as they were.</p>;
  return (
    <div role="status">
      <p>{title}</p>
      <ul class="changes">
        {restored.map((path) => (
          <li key={path}>
            <span class="tag" data-tone="waiting">
              restore
            </span>{' '}
            <span class="mono">{path}</span>
          </li>
        ))}
        {removed.map((path) => (
          <li key={path}>
            <span class="tag" data-tone="error">
              remove
            </span>{' '}
            <span class="mono">{path}</span>
          </li>
        ))}
        {skipped.map(({ path, reason }) => (
          <li key={path}>
            <span class="tag">leave</span> <span class="mono">{path}</span> <span class="hint">{reason}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
