// The events of one turn, as its own stream: from its first to its last.
import type { LogItem } from '../log/log-reader.ts';
import type { Session } from '../session.ts';
import type { Submission } from '../input/submit.ts';
import type { Turn } from './turn.ts';

/** Ends after the turn's `turn_completed` or `turn_discarded`, or when its log could not be kept. */
export async function* turnEvents(session: Session, submission: Submission, signal?: AbortSignal): AsyncGenerator<LogItem[], void> {
  const stop = new AbortController();
  const { turnId, after, until } = span(session, submission, stop);
  const joined = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  for await (const batch of session.log.read({ after, follow: until === null, signal: joined })) {
    const items = batch.filter((item) => item.turnId === turnId || item.type === 'gap');
    const last = items.findIndex(({ type }) => type === 'turn_completed' || type === 'turn_discarded');
    yield last === -1 ? items : items.slice(0, last + 1);
    if (last !== -1) return;
  }
}

/** Tells of each event of a turn that runs. Resolves when it has ended, or `signal` has fired. Never throws. @param tell must not throw */
export async function eachEvent(
  session: Session,
  turn: Turn,
  { tell, signal }: { tell: (item: LogItem) => void; signal?: AbortSignal },
): Promise<void> {
  try {
    for await (const items of turnEvents(session, { kind: 'live', turn, replayed: false }, signal)) items.forEach(tell);
  } catch {
    // A log that cannot be read ends the turn as well, and whoever waits for that is told.
  }
}

function span(session: Session, submission: Submission, stop: AbortController) {
  if (submission.kind === 'recorded')
    return { turnId: submission.reply.turn.id, after: submission.startSeq, until: submission.reply.turn.last_seq };
  const { turn } = submission;
  turn.done.catch((error: unknown) => stop.abort(error));
  return { turnId: turn.id, after: turn.record.status === 'queued' ? session.log.lastSeq : turn.startSeq, until: null };
}
