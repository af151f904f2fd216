// One step of a session. The script refuses it as long as an index has to know of it first; then the indexes are written, and
// it is tried again at the version that the session had. Only a new session, its first open turn after a rest, and an expiry
// that comes nearer need that.
import { StaleEpochError, type CallRow, type Commit } from '../../contract/index.ts';
import { assertNumbered, assertOneSession, noSession, wrongSeq } from '../commit-faults.ts';
import { eventLines } from '../event-lines.ts';
import { callNames } from './call-names.ts';
import { FRESH_MS, putEntry, type IndexKind } from './index-entries.ts';
import { expiryKeys, listKeys, openKeys, sessionKeys, shardOf } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

/** Characters that one commit may have: Redis ends the connection of a command near 1 GiB. */
const MOST_CHARS = 128 * 1024 * 1024;
/** How often other nodes may change a session between its index and the commit. */
const MOST_ATTEMPTS = 20;

/** What the script answers, see scripts/commit.lua. */
type Answer = ['ok'] | ['index', version: string, wants: string] | ['stale' | 'no-session'] | ['seq' | 'no-turn' | 'ordinal', string];

/** Version of the session for which the indexes are written, and what for. */
interface Indexed {
  readonly version: string;
  readonly stamp: string;
  /** Milliseconds of the monotonic clock. */
  readonly since: number;
}

/**
 * Writes one step of a session.
 * @param id of this commit and no other, which may be repeated as long as nothing else is written to the session; '' for one that is not
 * @throws as `Store.commit`
 */
export async function commitStep(link: Link, commit: Commit, id = ''): Promise<void> {
  const keys = sessionKeys(commit.sessionId);
  const names = [keys.session, keys.log, keys.turns, keys.ordinals, keys.open, keys.calls, keys.callNames, keys.epoch];
  const rows = rowArguments(commit);
  let indexed: Indexed | undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    if (indexed !== undefined && performance.now() - indexed.since > FRESH_MS) indexed = undefined;
    const head = [id, commit.epoch ?? '', indexed?.version ?? '', indexed?.stamp ?? ''];
    const answer = (await link.run(SCRIPTS.commit, names, [...head, ...rows])) as Answer;
    switch (answer[0]) {
      case 'ok':
        return;
      case 'index':
        indexed = await writeIndexes(link, commit, { version: answer[1], wants: answer[2] });
        break;
      default:
        throw refusal(commit, answer);
    }
  }
  throw new Error(`Session ${commit.sessionId} is changed by several nodes at once: nothing was written.`);
}

async function writeIndexes(link: Link, { sessionId, session }: Commit, { version, wants }: { version: string; wants: string }) {
  const since = performance.now();
  const owner = session?.owner ?? '';
  const put: Record<IndexKind, () => Promise<string | null>> = {
    e: () => putEntry(link, expiryKeys(shardOf(sessionId)), { sessionId, score: session?.expiresAt ?? 0, version, owner }),
    l: () => putEntry(link, listKeys(owner), { sessionId, score: session?.createdAt ?? 0, version }),
    o: () => putEntry(link, openKeys(shardOf(sessionId)), { sessionId, score: Date.now(), version }),
  };
  const stamps = await Promise.all(wants.split('').map((kind) => put[kind as IndexKind]()));
  return { version, stamp: String(Math.max(...stamps.map(Number))), since };
}

/** What the script takes of a commit, behind the head. @throws Error when a row names another session, or it is too large */
function rowArguments(commit: Commit): (string | number)[] {
  const { sessionId, session, turn, calls = [], events = [] } = commit;
  assertOneSession(commit);
  assertNumbered(sessionId, events, events[0]?.seq ?? 0);
  const row = session && [session.owner, session.createdAt, session.expiresAt, session.document];
  const args = [
    events[0]?.seq ?? '',
    ...(row ? [1, ...row] : [0]),
    ...(turn ? [1, turn.id, turn.ordinal, Number(turn.open), turn.document] : [0]),
    calls.length,
    ...calls.flatMap((call: CallRow) => {
      const { inTurn, byId } = callNames(call);
      return [call.turnId, inTurn, byId, JSON.stringify(call)];
    }),
  ];
  for (const { count, text } of eventLines(events)) args.push(count, text);
  const chars = args.reduce<number>((sum, arg) => sum + (typeof arg === 'string' ? arg.length : 0), 0);
  if (chars > MOST_CHARS) throw new Error(`A commit of session ${sessionId} has ${chars} characters; ${MOST_CHARS} are the most.`);
  return args;
}

function refusal({ sessionId, epoch = 0, events, turn }: Commit, [verdict, detail = '']: Answer): Error {
  switch (verdict) {
    case 'stale':
      return new StaleEpochError({ sessionId, epoch });
    case 'seq':
      return wrongSeq(sessionId, detail, events?.[0]?.seq);
    case 'no-turn':
      return new Error(`A call of session ${sessionId} names turn ${detail}, which is not in the store.`);
    case 'ordinal':
      return new Error(`Turn ${turn?.id} of session ${sessionId} cannot have ordinal ${detail}: another turn has it.`);
    default:
      return noSession(sessionId);
  }
}
