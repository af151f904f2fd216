import { showMs } from '../model/durations.ts';
import type { Call } from '../model/session-model.ts';
import { Facts } from '../parts/facts.tsx';
import type { LiveSession } from '../session/live-session.ts';

/** When and where the call ran, and who let it. */
export function CallFacts({ session, call }: { session: LiveSession; call: Call }) {
  const { id, turnId, batch, concurrent, effect, decision, coerced, resolved } = call;
  const turn = session.model.turnsById.get(turnId);
  const times = timesOf(call);
  const facts = {
    Place: `turn ${turn?.number ?? '?'}, call ${call.index + 1}, batch ${batch + 1} (${concurrent ? 'concurrent' : 'alone'})`,
    ...(times !== '' && { Times: times }),
    ...(effect !== undefined && { Effect: effect }),
    ...(decision !== undefined && { Permission: inWords(decision) }),
    ...(coerced.length > 0 && { 'Repaired input': coerced.join(', ') }),
    ...(resolved !== undefined && { 'Settled as': resolved }),
    Id: id,
  };
  return <Facts facts={facts} />;
}

function timesOf({ queuedAt, startedAt, finishedAt, releasedAt, waits }: Call): string {
  const waited = waits.reduce((sum, { from, to = from }) => sum + (to - from), 0);
  const parts: [string, number | undefined][] = [
    ['queued', startedAt === undefined ? undefined : startedAt - queuedAt],
    ['waited for people', waited > 0 ? waited : undefined],
    ['ran', startedAt === undefined || finishedAt === undefined ? undefined : finishedAt - startedAt],
    ['held back for its turn', finishedAt === undefined || releasedAt === undefined ? undefined : releasedAt - finishedAt || undefined],
  ];
  return parts.flatMap(([word, ms]) => (ms === undefined ? [] : [`${word} ${showMs(ms)}`])).join(', ');
}

function inWords({ behavior, decided_by: by, rule, reason }: NonNullable<Call['decision']>): string {
  return [`${behavior} by ${by}`, rule, reason].filter((part) => part !== undefined).join(' · ');
}
