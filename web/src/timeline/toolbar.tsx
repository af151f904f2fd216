import type { Signal } from '@preact/signals';
import { isOpen } from '../model/session-model.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { Zoom } from './use-zoom.ts';

interface ToolbarProps {
  readonly session: LiveSession;
  readonly zoom: Zoom;
  readonly follows: Signal<boolean>;
}

export function Toolbar({ session, zoom, follows }: ToolbarProps) {
  const action = useAction();
  const running = session.version.value >= 0 ? session.model.turns.find(isOpen) : undefined;
  const abort = (): Promise<unknown> => session.remote.turns.abort(running?.id ?? '', 'stopped in the console');
  return (
    <div class="toolbar" role="toolbar" aria-label="Timeline">
      <button type="button" aria-label="Zoom in" title="Zoom in (+)" onClick={zoom.larger}>
        +
      </button>
      <button type="button" aria-label="Zoom out" title="Zoom out (−)" onClick={zoom.smaller}>
        −
      </button>
      <button type="button" title="Whole turn (0)" disabled={!zoom.isZoomed()} onClick={zoom.whole}>
        Fit
      </button>
      {zoom.isZoomed() && (
        <>
          <button type="button" aria-label="Earlier" title="Earlier (←)" onClick={zoom.earlier}>
            ‹
          </button>
          <button type="button" aria-label="Later" title="Later (→)" onClick={zoom.later}>
            ›
          </button>
        </>
      )}
      <button type="button" aria-pressed={follows.value} onClick={() => (follows.value = !follows.value)}>
        Follow
      </button>
      <span class="hint toolbar-hint">↑ ↓ choose · + − 0 zoom · ← → pan · Ctrl and wheel zooms a turn</span>
      <span class="grow" />
      {running !== undefined && (
        <button type="button" class="danger" disabled={action.busy.value} onClick={() => action.run(abort)}>
          Abort turn {running.number}
        </button>
      )}
      <FaultNote fault={action.fault} />
    </div>
  );
}
