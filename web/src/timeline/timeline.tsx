// The turns of a session below each other, each with its calls as bars over its own time. Only the rows in sight are drawn.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { rowsInSight, rowsOf } from '../model/rows.ts';
import { callKey } from '../model/session-model.ts';
import { place, selectCall } from '../navigation.ts';
import type { LiveSession } from '../session/live-session.ts';
import { CallRow, rowId } from './call-row.tsx';
import { Legend } from './legend.tsx';
import { moveSelection } from './move-selection.ts';
import { Toolbar } from './toolbar.tsx';
import { TurnHead } from './turn-head.tsx';
import { useScroller } from './use-scroller.ts';
import { useZoom } from './use-zoom.ts';

export function Timeline({ session }: { session: LiveSession }) {
  const { model, version } = session;
  const rows = useMemo(() => rowsOf(model), [version.value]);
  const list = useRef<HTMLDivElement>(null);
  const follows = useSignal(true);
  const sight = useScroller(list, { rows, follows });
  const zoom = useZoom(session, list);
  const selected = place.value.call;
  const onKeyDown = (event: KeyboardEvent): void => {
    const moved = moveSelection(event.key, { rows, selected });
    if (moved !== null) {
      follows.value = false;
      selectCall(callKey(moved.turn.id, moved.call.id));
      sight.reveal(moved.top);
    } else if (!zoom.takeKey(event.key)) return;
    event.preventDefault();
  };
  // A call that was linked to is where the eye is.
  const isKnown = selected !== null && model.calls.has(selected);
  useEffect(() => {
    const row = rows.rows.find((each) => each.kind === 'call' && callKey(each.turn.id, each.call.id) === selected);
    if (row === undefined) return;
    follows.value = false;
    sight.reveal(row.top);
  }, [isKnown]);
  return (
    <>
      <Toolbar session={session} zoom={zoom} follows={follows} />
      <div
        ref={list}
        class="timeline"
        role="listbox"
        tabIndex={0}
        aria-label="Calls over time"
        aria-activedescendant={isKnown ? rowId(selected) : undefined}
        onKeyDown={onKeyDown}
      >
        <div class="timeline-rows" role="presentation" style={{ height: `${rows.height}px` }}>
          {rowsInSight(rows, sight.window.value).map((row) =>
            row.kind === 'turn' ? (
              <TurnHead key={row.turn.id} row={row} session={session} zoom={zoom} />
            ) : (
              <CallRow
                key={callKey(row.turn.id, row.call.id)}
                row={row}
                session={session}
                zoom={zoom}
                count={model.calls.size}
                isSelected={selected === callKey(row.turn.id, row.call.id)}
              />
            ),
          )}
        </div>
      </div>
      {model.turns.length === 0 && <p class="empty">Nothing has run here yet. Send a message to the session, or go to Run.</p>}
      <Legend />
    </>
  );
}
