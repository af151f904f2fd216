// The whole output of a call, which is kept beside the result that the model gets: live while it grows, then by parts.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { showBytes } from '../model/durations.ts';
import type { Call } from '../model/session-model.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';

const PART_BYTES = 64_000;

export function CallOutput({ session, call }: { session: LiveSession; call: Call }) {
  const isLive = call.outcome === undefined;
  if (isLive) return call.output === '' ? null : <LiveOutput text={call.output} />;
  return <KeptOutput session={session} call={call} />;
}

function LiveOutput({ text }: { text: string }) {
  const end = useRef<HTMLPreElement>(null);
  useEffect(() => end.current?.scrollTo(0, end.current.scrollHeight), [text]);
  return (
    <section class="view">
      <h3>
        <span class="view-heading">Output</span> as it comes
      </h3>
      <pre ref={end} class="text-terminal live" tabIndex={0}>
        {text.slice(-PART_BYTES)}
      </pre>
    </section>
  );
}

function KeptOutput({ session, call }: { session: LiveSession; call: Call }) {
  const text = useSignal<string | null>(null);
  const size = useSignal({ read: 0, all: 0 });
  const action = useAction();
  const { turns } = session.remote;
  const more = async (): Promise<void> => {
    const { read } = size.peek();
    const response = await turns.output(call.turnId, call.id, { range: `bytes=${read}-${read + PART_BYTES - 1}` });
    const bytes = await response.arrayBuffer();
    const all = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1] ?? bytes.byteLength);
    text.value = (text.peek() ?? '') + new TextDecoder().decode(bytes);
    size.value = { read: read + bytes.byteLength, all };
  };
  const save = async (): Promise<void> => saveFile(await (await turns.output(call.turnId, call.id)).blob(), `${call.id}.txt`);
  const left = size.value.all - size.value.read;
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && text.peek() === null && action.run(more)}>
      <summary>Whole output</summary>
      {text.value !== null && (
        <pre class="text-terminal" tabIndex={0}>
          {text.value === '' ? '(nothing)' : text.value}
        </pre>
      )}
      <div class="actions">
        {left > 0 && (
          <button type="button" disabled={action.busy.value} onClick={() => action.run(more)}>
            More ({showBytes(left)} left)
          </button>
        )}
        <button type="button" disabled={action.busy.value} onClick={() => action.run(save)}>
          Download
        </button>
      </div>
      <FaultNote fault={action.fault} />
    </details>
  );
}
