// All sessions of this process: made, found (and opened again from the store), listed, expired, drained.
import { Problem, type SessionRow, type SessionState } from '../contract/index.ts';
import { EventLog } from './event-log.ts';
import { newId } from './ids.ts';
import { recoverOpenTurns } from './recover.ts';
import { Session } from './session.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionSettings } from './session-options.ts';

const SWEEP_MS = 30_000;
const EXPIRED_A_SWEEP = 200;
/** More are recovered when somebody asks for them. */
const RECOVERED_AT_START = 10_000;
/** A session that nobody reads and that runs nothing for this long is let go from memory; the store keeps it. */
const IDLE_MS = 600_000;

interface KeptSession {
  readonly settings: SessionSettings;
  readonly state: SessionState;
  readonly workspace: string;
  readonly ephemeral: boolean;
  readonly updatedAt: number;
}

export class SessionRegistry {
  readonly #parts: SessionParts;
  readonly #open = new Map<string, Session>();
  readonly #opening = new Map<string, Promise<Session | null>>();
  readonly #sweeper: NodeJS.Timeout;
  #draining = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#sweeper = setInterval(() => void this.sweep().catch(() => {}), SWEEP_MS);
    this.#sweeper.unref();
  }

  get draining(): boolean {
    return this.#draining;
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** @throws Problem `forbidden`, `too-many-requests`, `draining`, `store-unavailable` */
  async create(owner: string, settings: SessionSettings): Promise<Session> {
    this.assertAccepting();
    this.#parts.guard(settings);
    const { store, limits } = this.#parts;
    if ((await store.countSessions(owner)) >= limits.sessionsPerOwner) {
      const detail = `At most ${limits.sessionsPerOwner} sessions may be open; delete some first.`;
      throw new Problem('too-many-requests', detail, { retryAfterSeconds: 60 });
    }
    const id = newId('ses');
    const place = await this.#parts.place({ id, path: settings.workspace?.path, additionalDirs: settings.permissions.additional_dirs });
    const state: SessionState = Object.freeze({ cwd: place.workspace, mode: settings.permissions.mode, todos: [], loadedTools: [] });
    const log = new EventLog({ sessionId: id, store, limits: limits.log, range: { first: 1, last: 0 } });
    const assertAccepting = (): void => this.assertAccepting();
    const session = new Session(
      { id, owner, createdAt: Date.now(), settings, state, place, log, turns: 0, newest: null, assertAccepting },
      this.#parts,
    );
    try {
      await log.append({ events: [], session: session.row() });
    } catch (error) {
      await place.remove();
      throw error;
    }
    this.#open.set(id, session);
    return session;
  }

  /** Ends the turns that a crash left open, in all sessions. */
  async recover(): Promise<void> {
    const left = await this.#parts.store.sessionsWithOpenTurns(RECOVERED_AT_START);
    for (const id of left) await this.#openOnce(id);
  }

  /** @throws Problem `session-not-found`, also for what another owner made */
  async get(owner: string, id: string): Promise<Session> {
    const open = this.#open.get(id);
    const session = open !== undefined && !open.broken ? open : await this.#openOnce(id);
    if (session === null || session.owner !== owner || session.expiresAt <= Date.now()) {
      throw new Problem('session-not-found', `There is no session ${id.slice(0, 80)}: it was never made, was deleted, or has expired.`);
    }
    return session;
  }

  async list(owner: string, query: { limit: number; cursor?: string }) {
    const page = await this.#parts.store.sessions({ owner, ...query });
    const sessions = await Promise.all(page.rows.map((row) => this.get(owner, row.id).catch(() => null)));
    return { data: sessions.flatMap((session) => (session === null ? [] : [session.summary()])), next_cursor: page.nextCursor };
  }

  /** Aborts what runs, then removes the session and what is its own. */
  async remove(owner: string, id: string): Promise<void> {
    await this.#discard(await this.get(owner, id), 'The session was deleted.');
  }

  /** @throws Problem `draining` */
  assertAccepting(): void {
    if (this.#draining)
      throw new Problem('draining', 'The service is shutting down: try again, elsewhere or later.', { retryAfterSeconds: 5 });
  }

  /** Takes no new turns; running ones get `graceMs` to end, then they are aborted. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true;
    clearInterval(this.#sweeper);
    const sessions = [...this.#open.values()];
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, graceMs);
    await Promise.race([Promise.all(sessions.map((session) => session.idle())), grace.promise]);
    clearTimeout(timer);
    await Promise.all(sessions.map((session) => session.close('The service is shutting down.')));
  }

  /** Removes sessions whose time is over, and lets idle ones go from memory. */
  async sweep(now = Date.now()): Promise<void> {
    for (const id of await this.#parts.store.expired(now, EXPIRED_A_SWEEP)) {
      const session = this.#open.get(id) ?? (await this.#openOnce(id));
      if (session !== null && !session.busy && session.expiresAt <= now) await this.#discard(session, 'The session has expired.');
    }
    for (const [id, session] of this.#open) {
      if (!session.busy && !session.log.hasReaders && now - session.updatedAt > IDLE_MS) this.#open.delete(id);
    }
  }

  async #discard(session: Session, reason: string): Promise<void> {
    await session.close(reason);
    this.#open.delete(session.id);
    await this.#parts.store.removeSession(session.id);
    await session.place.remove();
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
    const { store, limits } = this.#parts;
    const row = await store.session(id);
    if (row === null || row.closed) return null;
    const log = new EventLog({ sessionId: id, store, limits: limits.log, range: await store.range(id) });
    await recoverOpenTurns(id, log, store);
    const session = await this.#restore(row, log);
    this.#open.set(id, session);
    return session;
  }

  async #restore(row: SessionRow, log: EventLog): Promise<Session> {
    const kept = JSON.parse(row.document) as KeptSession;
    const path = kept.ephemeral ? undefined : kept.workspace;
    const place = await this.#parts.place({ id: row.id, path, additionalDirs: kept.settings.permissions.additional_dirs });
    const latest = await this.#parts.store.latestTurn(row.id);
    const calls = latest === null ? [] : await this.#parts.store.calls(row.id, latest.id);
    const newest = latest === null ? null : { id: latest.id, toolUseIds: calls.map(({ toolUseId }) => toolUseId) };
    const { id, owner, createdAt } = row;
    const assertAccepting = (): void => this.assertAccepting();
    const session = new Session(
      {
        id,
        owner,
        createdAt,
        settings: kept.settings,
        state: Object.freeze(kept.state),
        place,
        log,
        turns: latest?.ordinal ?? 0,
        newest,
        assertAccepting,
      },
      this.#parts,
    );
    session.updatedAt = kept.updatedAt;
    return session;
  }
}
