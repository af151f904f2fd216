import * as fc from 'fast-check';
import type { Commit, SessionRow, Store } from '../../../src/contract/index.ts';
import { allPages, callRow, eventRows, everythingOf, sessionRow, turnRow } from '../rows.ts';

/** Something to ask of a store, with a name that shows in a counterexample. */
export interface NamedOperation {
  readonly name: string;
  readonly operation: (store: Store, names: Names) => Promise<unknown>;
}

/** Keeps the sessions and owners of one run apart from those of another. */
export interface Names {
  readonly session: (n: number) => string;
  readonly owner: (n: number) => string;
}

export const SESSIONS = 3;
const SOME_IDS = ['toolu_1', 'toolu_2', '__proto__', '\ud800', '\ud801'];

const session = fc.nat(SESSIONS - 1);
const owner = fc.nat(1);
const key = fc.constantFrom('k', 'l');
const ordinal = fc.integer({ min: 1, max: 4 });
const limit = fc.integer({ min: 1, max: 4 });
const seq = fc.nat(12);

export function namesOf(run: number): Names {
  return { session: (n) => `ses_${run}_${n}`, owner: (n) => `owner_${run}_${n}` };
}

/** Any operation of the port: few sessions, owners, turns and ids, so that they meet often. */
export function anyOperation(): fc.Arbitrary<NamedOperation> {
  return fc.oneof({ arbitrary: commits(), weight: 4 }, { arbitrary: fc.oneof(...otherWrites()), weight: 2 }, fc.oneof(...reads()));
}

function commits(): fc.Arbitrary<NamedOperation> {
  return named('commit', fc.record(COMMIT), (choice) => async (store, names) => {
    const { last } = await store.range(names.session(choice.session));
    await store.commit(commitOf(choice, last, names));
  });
}

function otherWrites(): fc.Arbitrary<NamedOperation>[] {
  return [
    named('remove', session, (n) => (store, names) => store.removeSession(names.session(n))),
    named('trim', fc.record({ session, seq, ordinal }), (given) => (store, names) => store.trim(names.session(given.session), given)),
    named('remember', fc.record({ owner, key, over: fc.boolean(), body: fc.string() }), ({ body, over, ...given }) => (store, names) => {
      const expiresAt = over ? 1 : Date.UTC(2100, 0);
      return store.remember(names.owner(given.owner), given.key, { digest: 'd', status: 201, body, headers: {}, expiresAt });
    }),
  ];
}

function reads(): fc.Arbitrary<NamedOperation>[] {
  return [
    named('read', session, (n) => (store, names) => everythingOf(store, names.session(n))),
    named(
      'events',
      fc.record({ session, after: seq, limit }),
      ({ session: n, ...query }) =>
        (store, names) =>
          store.events({ sessionId: names.session(n), ...query }),
    ),
    named('used', session, (n) => (store, names) => store.usedIds(names.session(n), SOME_IDS)),
    named('list', fc.record({ owner, limit }), (given) => async (store, names) => [
      await allPages((cursor) => store.sessions({ owner: names.owner(given.owner), limit: given.limit, ...cursor })),
      await store.countSessions(names.owner(given.owner)),
    ]),
    named(
      'turns',
      fc.record({ session, limit }),
      (given) => (store, names) =>
        allPages((cursor) => store.turns({ sessionId: names.session(given.session), limit: given.limit, ...cursor })),
    ),
    named('expired', fc.record({ now: fc.nat(6), limit }), (given) => (store) => store.expired(given.now, given.limit)),
    named('recall', fc.record({ owner, key }), (given) => (store, names) => store.idempotency(names.owner(given.owner), given.key)),
  ];
}

function named<Given>(
  what: string,
  given: fc.Arbitrary<Given>,
  operation: (given: Given) => NamedOperation['operation'],
): fc.Arbitrary<NamedOperation> {
  return given.map((value) => ({ name: `${what} ${fc.stringify(value)}`, operation: operation(value) }));
}

const COMMIT = {
  session,
  /** How far the first event is from where it belongs. */
  gap: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1),
  events: fc.nat(4),
  row: fc.option(fc.record({ expiresAt: fc.nat(6), document: fc.json() })),
  turn: fc.option(fc.record({ ordinal, open: fc.boolean(), document: fc.json() })),
  calls: fc.array(fc.record({ id: fc.constantFrom(...SOME_IDS), content: fc.option(fc.string({ unit: 'grapheme' })) }), { maxLength: 3 }),
};

type CommitChoice = { [Key in keyof typeof COMMIT]: (typeof COMMIT)[Key] extends fc.Arbitrary<infer Value> ? Value : never };

/** What never changes of a session: some share an owner, and some a moment. */
function origin(n: number, names: Names): Pick<SessionRow, 'owner' | 'createdAt'> {
  return { owner: names.owner(n % 2), createdAt: Math.floor(n / 2) };
}

function commitOf(choice: CommitChoice, last: number, names: Names): Commit {
  const sessionId = names.session(choice.session);
  const { row, turn } = choice;
  return {
    sessionId,
    events: eventRows(last + 1 + choice.gap, choice.events),
    ...(row && { session: sessionRow(sessionId, { ...row, ...origin(choice.session, names) }) }),
    ...(turn && { turn: turnRow(sessionId, turn.ordinal, { open: turn.open, document: turn.document }) }),
    calls: choice.calls.map(({ id, content }) =>
      callRow(turn?.ordinal ?? 1, id, {
        index: SOME_IDS.indexOf(id),
        ...(content !== null && { result: { outcome: 'ok', isError: false, content, view: { title: id } } }),
      }),
    ),
  };
}
