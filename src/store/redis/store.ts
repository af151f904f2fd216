// Sessions in Redis: all that is one session's lies in one slot, and each write to it is one script. Indexes over sessions are
// keys of their own (index-entries.ts).
import { inSequence, type Store } from '../../contract/index.ts';
import { keptReplies } from './claims.ts';
import { commitInTime } from './commit-in-time.ts';
import { gathering } from '../gather.ts';
import { untilClosed } from '../until-closed.ts';
import type { Link } from './link.ts';
import { historyReads } from './log-and-turns.ts';
import { sessionReads } from './sessions.ts';

export interface RedisStoreParts {
  /** Milliseconds for which a claim stays that is not renewed. */
  readonly claimMs: number;
  /** Ends the link, once nothing uses the store any more. */
  readonly close: () => Promise<void>;
}

/** A store on an open link. */
export function redisStore(link: Link, { claimMs, close }: RedisStoreParts): Store {
  const writes = gathering(inSequence(), (commit) => commitInTime(link, commit));
  const { run, end } = untilClosed();
  const [sessions, history, replies] = [sessionReads(link), historyReads(link), keptReplies(link, claimMs)];
  let closing: Promise<void> | undefined;

  return {
    commit: (commit) => run(() => writes.commit(commit)),

    session: (id) => run(() => sessions.row(id)),
    sessions: (query) => run(() => sessions.page(query)),
    countSessions: (owner) => run(() => sessions.count(owner)),
    expired: (now, limit) => run(() => sessions.expired(now, limit)),
    sessionsWithOpenTurns: (limit) => run(() => sessions.withOpenTurns(limit)),
    removeSession: (id) => run(() => writes.between(id, () => sessions.remove(id))),

    turn: (sessionId, turnId) => run(() => history.turn(sessionId, turnId)),
    latestTurn: (sessionId) => run(() => history.latestTurn(sessionId)),
    openTurns: (sessionId) => run(() => history.openTurns(sessionId)),
    turns: (query) => run(() => history.turns(query)),

    calls: (sessionId, turnId) => run(() => history.calls(sessionId, turnId)),
    usedIds: (sessionId, toolUseIds) => run(() => history.usedIds(sessionId, toolUseIds)),

    events: (query) => run(() => history.events(query)),
    range: (sessionId) => run(() => history.range(sessionId)),
    trim: (sessionId, below) => run(() => writes.between(sessionId, () => history.trim(sessionId, below))),

    claim: (owner, key) => run(() => replies.claim(owner, key)),
    idempotency: (owner, key) => run(() => replies.get(owner, key)),
    remember: (owner, key, record) => run(() => replies.remember(owner, key, record)),

    away: () => link.away,
    // A write: Redis still answers reads when its memory or disk is full.
    ping: () =>
      run(() =>
        link.ask('toolexec:{ping}', async (client, name) => void (await client.set(name, '', { expiration: { type: 'EX', value: 60 } }))),
      ),
    close: () => (closing ??= end().then(close)),
  };
}
