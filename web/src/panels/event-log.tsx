// The log of the session as it is kept, to be searched. Only the rows in sight are drawn.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { showMoment } from '../model/durations.ts';
import { pretty } from '../model/read-json.ts';
import { headline, searchLog } from '../model/search-log.ts';
import type { LoggedEvent } from '../model/wire.ts';
import type { LiveSession } from '../session/live-session.ts';
import { useScroller } from '../timeline/use-scroller.ts';

const ROW = 24;
const MARGIN = 8;

export function EventLog({ session }: { session: LiveSession }) {
  const query = useSignal('');
  const chosen = useSignal<LoggedEvent | null>(null);
  const follows = useSignal(true);
  const list = useRef<HTMLDivElement>(null);
  const all = session.version.value >= 0 ? session.model.log : [];
  const found = searchLog(all, query.value);
  const height = found.length * ROW;
  const sight = useScroller(list, { rows: { height }, follows });
  const { top, height: shown } = sight.window.value;
  const first = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const rows = found.slice(first, Math.ceil((top + shown) / ROW) + MARGIN);
  return (
    <div class="log">
      <div class="toolbar">
        <label class="grow">
          <span class="sr-only">Search the log</span>
          <input
            type="search"
            placeholder="Search: type, tool, id, any word of an event"
            value={query.value}
            onInput={({ currentTarget }) => (query.value = currentTarget.value)}
          />
        </label>
        <span role="status" class="hint">
          {found.length.toLocaleString()} of {all.length.toLocaleString()} events
        </span>
      </div>
      <div ref={list} class="log-list" tabIndex={0} role="region" aria-label="Events">
        <ol class="log-rows" style={{ height: `${height}px` }}>
          {rows.map((event, index) => (
            <li key={event.seq} style={{ top: `${(first + index) * ROW}px` }} aria-setsize={found.length} aria-posinset={first + index + 1}>
              <button
                type="button"
                aria-pressed={chosen.value === event}
                onClick={() => (chosen.value = chosen.value === event ? null : event)}
              >
                <span class="number">{event.seq}</span>
                <span class="number">{showMoment(event.time)}</span>
                <b>{event.type}</b>
                <span class="headline">{headline(event)}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
      {chosen.value !== null && (
        <pre class="event" tabIndex={0} aria-label={`Event ${chosen.value.seq}`}>
          {pretty(chosen.value)}
        </pre>
      )}
    </div>
  );
}
