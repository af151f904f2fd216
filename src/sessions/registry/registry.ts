// All sessions of this process: made, found (and opened again from the store), listed, expired, drained.
import { frozenState, Problem, type Lease, type SessionRow, type SessionState } from '../../contract/index.ts';
import { follow, handOn, settingsWithin } from '../agents/child-settings.ts';
import { beginDrain, draining, type Draining } from './drain.ts';
import { EventLog } from '../log/event-log.ts';
import { newId } from '../ids.ts';
import { makeRoom } from './idle-sessions.ts';
import type { KeptSession } from '../kept-session.ts';
import { OneShotSession } from './one-shot-session.ts';
import { openSession } from '../recovery/open-session.ts';
import { every } from './every.ts';
import { Session } from '../session.ts';
import type { NewSession, WithinSession } from './new-session.ts';
import type { SessionStart } from '../session-start.ts';
import type { SessionParts } from '../session-parts.ts';
import { placeOf } from '../place-for.ts';
import { sessionView, storedView } from './session-view.ts';
import type { SessionSettings } from '../settings/session-options.ts';
import { SessionQuota } from './session-quota.ts';
import { takeLease } from '../recovery/take-lease.ts';
import { sweep, takeOver, type Kept } from './upkeep.ts';

const SWEEP_MS = 30_000;
/** Sessions of agents that are kept a session. */
const MAX_CHILDREN = 100;
const SHUTTING_DOWN = 'The service is shutting down.';

export class SessionRegistry {
  readonly #parts: SessionParts;
  readonly #quota: SessionQuota;
  /** Least recently used first. */
  readonly #open = new Map<string, Session>();
  readonly #opening = new Map<string, Promise<Session | null>>();
  /** Sessions that are being removed. */
  readonly #removing = new Set<string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #draining: Draining | undefined;
  #drained: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#quota = new SessionQuota({ count: (owner) => parts.store.countSessions(owner), limit: parts.limits.sessionsPerOwner });
    const { report, takeOverMs } = parts;
    const failed = (what: string) => (error: unknown) => report(what, error);
    this.#timers.push(every(SWEEP_MS, () => this.sweep(), failed('sessions could not be swept')));
    if (takeOverMs === undefined) return;
    this.#timers.push(every(takeOverMs, () => takeOver(this.#kept), failed('turns that were left could not be looked for')));
  }

  get draining(): boolean {
    return this.#draining !== undefined;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Events by which the slowest reader of any session here is behind. */
  get readerLag(): number {
    return [...this.#open.values()].reduce((most, { log }) => Math.max(most, log.readerLag), 0);
  }

  /**
   * @param oneShot set for a session that lives for one message
   * @throws Problem `forbidden`, `too-many-requests`, `draining`, `store-unavailable`
   */
  async create(owner: string, settings: SessionSettings, oneShot?: { repeatable: boolean }): Promise<Session> {
    this.assertAccepting();
    this.#parts.guard(settings);
    const session = await this.#quota.within(owner, () => this.#make({ owner, settings, oneShot }));
    session.begin('startup');
    return session;
  }

  /**
   * Makes the session of an agent: it works in its parent's workspace, by its parent's settings, and goes with its parent.
   * @throws Problem `session-not-found`, `too-many-requests`, `store-unavailable`
   */
  async createWithin({ parent: { owner, id }, child, state }: WithinSession): Promise<Session> {
    // Also in a drain: the turn that wants it is let run.
    const parent = await this.get(owner, id);
    await this.#makeRoom(parent);
    const settings = settingsWithin(parent.settings);
    const within = { child, state, place: parent.place };
    const session = await this.#quota.within(owner, () => this.#make({ owner, settings, within }));
    try {
      await parent.adopt(session.id);
      // They may have changed while it was made.
      await follow(session, parent.settings, false);
    } catch (error) {
      await this.#discard(session.id, 'The session that wants it has ended.');
      throw error;
    }
    return session;
  }

  /** Sessions of agents that ended long ago make room for new ones. @throws Problem `too-many-requests` */
  async #makeRoom(parent: Session): Promise<void> {
    if (parent.children.length < MAX_CHILDREN) return;
    const oldest = parent.children.find((id) => !this.#open.has(id));
    if (oldest === undefined)
      throw new Problem('too-many-requests', `${MAX_CHILDREN} agents of the session run: wait until some have ended.`);
    parent.children = parent.children.filter((id) => id !== oldest);
    await this.#discard(oldest, 'Newer agents took its place.');
  }

  /** Nothing of the session runs any more, and it goes from memory until somebody asks for it, who waits for that. Never throws. */
  async rest(session: Session, reason = 'The agent has ended.'): Promise<void> {
    await session.letGo(reason);
    if (this.#open.get(session.id) === session) this.#open.delete(session.id);
  }

  async #make({ owner, settings, oneShot, within }: NewSession): Promise<Session> {
    const parts = this.#parts;
    const { store, limits } = parts;
    const id = newId('ses');
    const own = await placeOf({ id, parts, settings, child: within?.child }, settings.workspace?.path);
    // One directory has one history and one quota.
    const place = within === undefined ? own : { ...own, history: within.place.history, tree: within.place.tree };
    const fresh = { cwd: place.workspace, mode: settings.permissions.mode, todos: [], loadedTools: [] };
    const state: SessionState = frozenState(within?.state ?? fresh);
    const log = new EventLog({ lease: await takeLease(this.#parts.leases, id), store, limits: limits.log, range: { first: 1, last: 0 } });
    const start = this.#start({
      id,
      owner,
      createdAt: Date.now(),
      settings,
      state,
      place,
      log,
      turns: 0,
      newest: null,
      tasks: [],
      child: within?.child,
      children: [],
    });
    const session = oneShot === undefined ? new Session(start, parts) : new OneShotSession(start, parts, oneShot);
    // From its first moment on it counts as open: a sweep must not take it for one that was left behind.
    this.#add(session);
    try {
      await log.append({ events: [], session: session.row() });
    } catch (error) {
      this.#open.delete(id);
      await session.letGo('The session could not be kept.');
      await parts.removePlace(id);
      throw error;
    }
    return session;
  }

  /**
   * Goes on with the turns that a crash left open, in all sessions; one that cannot be recovered keeps no other from it.
   * Sessions made for one message go.
   */
  async recover(): Promise<void> {
    await takeOver(this.#kept);
    await this.sweep();
  }

  /** @throws Problem `session-not-found`, also for what another owner made; `forbidden` when its directory is not to be had any more */
  async get(owner: string, id: string): Promise<Session> {
    const session = this.#inMemory(id) ?? (await this.#openOnce(id));
    const now = Date.now();
    const over = session !== null && session.expiresAt <= now && !session.busy;
    if (session === null || session.owner !== owner || over || this.#removing.has(id)) throw notFound(id);
    session.usedAt = now;
    if (this.#open.delete(id)) this.#open.set(id, session);
    return session;
  }

  /** A session that is open and can be used: one that was let go of is opened anew. @throws Problem `draining` when it cannot be any more */
  #inMemory(id: string): Session | undefined {
    const open = this.#open.get(id);
    if (open?.broken === false && !open.closed) return open;
    if (this.#draining === undefined) return undefined;
    if (open?.closed === true && !open.broken && !open.busy) return open;
    throw draining();
  }

  /** Newest first. @throws Problem `store-unavailable` */
  async list(owner: string, query: { limit: number; cursor?: string }) {
    const page = await this.#parts.store.sessions({ owner, ...query });
    const data = await Promise.all(page.rows.filter(({ id }) => !this.#removing.has(id)).map((row) => this.#view(row)));
    return { data, ...(page.nextCursor !== null && { next_cursor: page.nextCursor }) };
  }

  /** One that is not open need not be opened to be seen, and can be seen also where it cannot be opened. */
  async #view(row: SessionRow) {
    const open = this.#open.get(row.id);
    if (open !== undefined && !open.broken) return sessionView(open);
    const { last } = await this.#parts.store.range(row.id);
    return storedView(row, { sandbox: (settings) => this.#parts.sandboxState(settings), lastSeq: last });
  }

  /** Aborts what runs, then removes the session and what is its own. @throws Problem `session-not-found` */
  async remove(owner: string, id: string): Promise<void> {
    const kept = this.#open.get(id)?.owner ?? (await this.#parts.store.session(id))?.owner;
    if (kept !== owner || this.#removing.has(id)) throw notFound(id);
    await this.#discard(id, 'The session was deleted.');
  }

  /** @throws Problem `draining` */
  assertAccepting(): void {
    if (this.#draining !== undefined) throw draining();
  }

  /** Takes no new turns; running ones get `graceMs` to end, then they are left to whoever opens their session next. */
  drain(graceMs: number): Promise<void> {
    return (this.#drained ??= this.#drain(graceMs));
  }

  async #drain(graceMs: number): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#draining = beginDrain({ graceMs, release: (session) => this.#release(session), report: this.#parts.report });
    // An agent's session goes with the one that wants it.
    for (const session of this.#open.values()) if (session.child === undefined) this.#draining.take(session);
    await Promise.allSettled(this.#opening.values());
    await this.#draining.ended();
    await Promise.all([...this.#open.values()].map((session) => session.letGo(SHUTTING_DOWN)));
  }

  /** Where there are other nodes it can be opened there from now on; where there are none, it can be read here until the end. */
  async #release(session: Session): Promise<void> {
    await session.suspend(SHUTTING_DOWN);
    const within = session.children.flatMap((id) => this.#open.get(id) ?? []);
    await Promise.all(within.map((child) => child.letGo(SHUTTING_DOWN)));
    if (this.#parts.takeOverMs === undefined) return;
    for (const { id } of [session, ...within]) this.#open.delete(id);
  }

  /** Removes sessions whose time is over, and lets idle ones go from memory. */
  sweep(now = Date.now()): Promise<void> {
    return sweep(this.#kept, now);
  }

  get #kept(): Kept {
    return {
      parts: this.#parts,
      open: this.#open,
      draining: () => this.draining,
      load: (id) => this.#openOnce(id),
      discard: (id, reason) => this.#discard(id, reason),
      rest: (session, reason) => this.rest(session, reason),
    };
  }

  /** Nobody gets the session from now on, whatever of it is still there. */
  async #discard(id: string, reason: string): Promise<void> {
    this.#removing.add(id);
    let lease: Lease | undefined;
    try {
      await this.#opening.get(id)?.catch(() => null);
      const open = this.#open.get(id);
      // Nobody else may work on what goes.
      lease = open === undefined ? await takeLease(this.#parts.leases, id) : undefined;
      await open?.close(reason);
      for (const childId of open?.children ?? (await this.#childrenOf(id))) await this.#discard(childId, reason);
      await this.#parts.store.removeSession(id);
      this.#open.delete(id);
      await this.#parts.removePlace(id);
    } finally {
      await lease?.release();
      this.#removing.delete(id);
    }
  }

  async #childrenOf(id: string): Promise<readonly string[]> {
    const row = await this.#parts.store.session(id);
    return row === null ? [] : ((JSON.parse(row.document) as KeptSession).children ?? []);
  }

  #openOnce(id: string): Promise<Session | null> {
    let opening = this.#opening.get(id);
    if (opening === undefined) {
      opening = this.#load(id).finally(() => this.#opening.delete(id));
      this.#opening.set(id, opening);
    }
    return opening;
  }

  async #load(id: string): Promise<Session | null> {
    // Whoever drains waits for what was being opened then, and for nothing more.
    this.assertAccepting();
    // A session whose log failed must have let go of everything before another takes its place.
    await this.#open.get(id)?.letGo('The log of the session could not be kept.');
    const session = await openSession(id, {
      parts: this.#parts,
      isRemoved: () => this.#removing.has(id),
      open: (openId) => this.#open.get(openId),
      start: (start) => this.#start(start),
    });
    if (session !== null) this.#add(session);
    return session;
  }

  #add(session: Session): void {
    this.#open.set(session.id, session);
    if (session.child === undefined) this.#draining?.take(session);
    for (const idle of makeRoom(this.#open)) void this.rest(idle, 'The session is not in use.');
  }

  #start(start: Omit<SessionStart, 'assertAccepting' | 'handOn'>): SessionStart {
    // A turn that runs in a drain may have its agents go on.
    const assertAccepting = (): void => {
      if (start.child !== undefined) return;
      this.assertAccepting();
      if (this.#parts.store.away?.() === true) throw storeAway();
    };
    return {
      ...start,
      assertAccepting,
      handOn: (parent) => handOn(parent, (id) => this.#open.get(id) ?? this.#opening.get(id)?.catch(() => null)),
    };
  }
}

function storeAway(): Problem {
  return new Problem('store-unavailable', 'The store cannot be reached, so nothing new begins: try again.', { retryAfterSeconds: 2 });
}

function notFound(id: string): Problem {
  return new Problem('session-not-found', `There is no session ${id.slice(0, 80)}: it was never made, was deleted, or has expired.`);
}
