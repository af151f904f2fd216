// One call, looked at: what it is and what came of it, drawn from its views alone, whatever its tool is.
import { useEffect, useRef } from 'preact/hooks';
import { viewsOf } from '../model/call-views.ts';
import { lookOf } from '../model/outcomes.ts';
import { pretty } from '../model/read-json.ts';
import type { Call } from '../model/session-model.ts';
import { selectCall } from '../navigation.ts';
import type { LiveSession } from '../session/live-session.ts';
import { CallActions } from './call-actions.tsx';
import { CallFacts } from './call-facts.tsx';
import { CallOutput } from './call-output.tsx';
import { ResultContent } from './result-content.tsx';
import { ViewCard } from './view-card.tsx';

export function Inspector({ session, callKey }: { session: LiveSession; callKey: string }) {
  const head = useRef<HTMLHeadingElement>(null);
  const call = session.version.value >= 0 ? session.model.calls.get(callKey) : undefined;
  useEffect(() => {
    head.current?.closest('aside')?.scrollTo(0, 0);
  }, [callKey]);
  return (
    <aside class="inspector" aria-label="Call">
      <header class="inspector-head">
        <h2 ref={head} tabIndex={-1}>
          {call?.name ?? 'Call'}
        </h2>
        {call !== undefined && <CallTag call={call} />}
        <span class="grow" />
        <button type="button" class="quiet" aria-label="Close" title="Close (Esc)" onClick={() => selectCall(null)}>
          ✕
        </button>
      </header>
      {call === undefined ? (
        <p class="hint">This call is not among the events that are shown.</p>
      ) : (
        <CallBody key={callKey} session={session} call={call} />
      )}
    </aside>
  );
}

function CallTag({ call }: { call: Call }) {
  const { tone, sign, word } = lookOf(call);
  return (
    <span class="tag" data-tone={tone}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

function CallBody({ session, call }: { session: LiveSession; call: Call }) {
  const { view, resultView, content } = call;
  return (
    <div class="inspector-body">
      <CallActions session={session} call={call} />
      {viewsOf(call).map((headed) => (
        <ViewCard key={headed.heading} heading={headed.heading} view={headed.view} />
      ))}
      <CallOutput session={session} call={call} />
      <CallFacts session={session} call={call} />
      <details open={view === undefined}>
        <summary>Input</summary>
        <pre tabIndex={0}>{pretty(call.input)}</pre>
      </details>
      {content !== undefined && (
        <details open={typeof content !== 'string' || resultView?.body === undefined}>
          <summary>What the model reads</summary>
          <ResultContent content={content} />
        </details>
      )}
    </div>
  );
}
