import { showMs } from '../model/durations.ts';
import type { Call } from '../model/session-model.ts';
import type { LiveSession } from '../session/live-session.ts';

/** When and where the call ran, and who let it. */
export function CallFacts({ session, call }: { session: LiveSession; call: Call }) {
  const { id, turnId, batch, concurrent, effect, decision, coerced, resolved } = call;
  const turn = session.model.turnsById.get(turnId);
  const facts: [string, string][] = [
    ['Place', `turn ${turn?.number ?? '?'}, call ${call.index + 1}, batch ${batch + 1} (${concurrent ? 'concurrent' : 'alone'})`],
    ...timesOf(call),
    ...(effect === undefined ? [] : [['Effect', effect] as [string, string]]),
    ...(decision === undefined ? [] : [['Permission', inWords(decision)] as [string, string]]),
    ...(coerced.length === 0 ? [] : [['Repaired input', coerced.join(', ')] as [string, string]]),
    ...(resolved === undefined ? [] : [['Settled as', resolved] as [string, string]]),
    ['Id', id],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function timesOf({ queuedAt, startedAt, finishedAt, releasedAt, waits }: Call): [string, string][] {
  const waited = waits.reduce((sum, { from, to = from }) => sum + (to - from), 0);
  const parts: [string, number | undefined][] = [
    ['queued', startedAt === undefined ? undefined : startedAt - queuedAt],
    ['waited for people', waited > 0 ? waited : undefined],
    ['ran', startedAt === undefined || finishedAt === undefined ? undefined : finishedAt - startedAt],
    ['held back for its turn', finishedAt === undefined || releasedAt === undefined ? undefined : releasedAt - finishedAt || undefined],
  ];
  const told = parts.flatMap(([word, ms]) => (ms === undefined ? [] : [`${word} ${showMs(ms)}`]));
  return told.length === 0 ? [] : [['Times', told.join(', ')]];
}

function inWords({ behavior, decided_by: by, rule, reason }: NonNullable<Call['decision']>): string {
  return [`${behavior} by ${by}`, rule, reason].filter((part) => part !== undefined).join(' · ');
}
