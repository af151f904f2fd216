// A session while it is open: its state, its log, and its turns, which run one after another in arrival order.
import PQueue from 'p-queue';
import {
  frozenState,
  Problem,
  withLoaded,
  type DescribeContext,
  type MessageFormat,
  type SessionFacts,
  type SessionRow,
  type SessionState,
  type TaskSummary,
  type ToolUse,
  type Toolbox,
} from '../contract/index.ts';
import { SessionApprovals } from './people/approvals.ts';
import type { ChildOf } from './child.ts';
import { changeSettings } from './change-settings.ts';
import { SessionClientCalls } from './people/client-calls.ts';
import type { EventLog } from './log/event-log.ts';
import type { FoldedTurn } from './recovery/fold-turn.ts';
import { newId } from './ids.ts';
import { keptSession } from './kept-session.ts';
import { runTurn, type TurnHost } from './turn/run-turn.ts';
import { turnRow } from './turn/turn-document.ts';
import { SessionGuard } from './session-guard.ts';
import { SessionServices } from './session-services.ts';
import type { SessionParts, SessionPlace } from './session-parts.ts';
import { inTheWay } from './in-the-way.ts';
import { toTravel } from './settings/state-changes.ts';
import type { SessionStart } from './session-start.ts';
import type { SessionSettings } from './settings/session-options.ts';
import { newTurnRecord } from './turn/turn-record.ts';
import { goesOn, Turn } from './turn/turn.ts';
import { UsedIds } from './input/used-ids.ts';
import { TurnQueue, type Turns } from './turn/turn-queue.ts';

/** How old the kept time of last use may be: a restart may end a session that much earlier. */
const ROW_AGE_MS = 10_000;

export class Session implements TurnHost {
  readonly id: string;
  readonly owner: string;
  readonly parts: SessionParts;
  place: SessionPlace;
  readonly log: EventLog;
  readonly createdAt: number;
  settings: SessionSettings;
  state: SessionState;
  toolbox: Toolbox;
  readonly approvals: SessionApprovals;
  readonly clientCalls = new SessionClientCalls();
  readonly usedIds: UsedIds;
  readonly guard: SessionGuard;
  readonly services: SessionServices;
  /** Set for an agent's session. */
  readonly child: ChildOf | undefined;
  /** Ids of its agents' sessions, which go with it. */
  children: readonly string[];
  updatedAt: number;
  /** When somebody last asked for the session, in milliseconds since 1970. */
  usedAt = Date.now();
  /** Counts calls and turns that came or ended: a decision that was waited for holds only if nothing has. */
  version = 0;
  /** Sockets that are connected now. */
  sockets = 0;
  readonly #changes = new PQueue({ concurrency: 1 });
  readonly #turns: TurnQueue;
  readonly #assertAccepting: () => void;
  readonly handOn: SessionStart['handOn'];
  #closed = false;
  /** It has ended, and was not only let go of here. */
  #over = false;
  #ending: Promise<void> | undefined;
  #keptState: SessionState | undefined;
  #keptAt = 0;

  constructor(start: SessionStart, parts: SessionParts) {
    this.id = start.id;
    this.owner = start.owner;
    this.parts = parts;
    this.place = start.place;
    this.log = start.log;
    this.createdAt = this.updatedAt = start.createdAt;
    this.settings = start.settings;
    this.state = start.state;
    this.child = start.child;
    this.children = start.children;
    this.toolbox = parts.toolboxFor(this.settings, this);
    this.guard = new SessionGuard(this);
    this.approvals = new SessionApprovals(() => this.settings.permissions.ask_timeout_ms);
    this.usedIds = new UsedIds(start.turns === 0);
    this.#turns = new TurnQueue({ count: start.turns, newest: start.newest, run: (turn) => this.#run(turn) });
    this.#assertAccepting = start.assertAccepting;
    this.handOn = start.handOn;
    this.services = new SessionServices(this);
    this.services.restore(start.tasks);
    this.log.lost.addEventListener('abort', () => this.#stopAtOnce('Another node takes the session over.'));
  }

  get expiresAt(): number {
    return this.updatedAt + this.settings.ttl_ms;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True once it has ended, and was not only let go of here. */
  get over(): boolean {
    return this.#over;
  }

  get busy(): boolean {
    return this.#turns.size > 0;
  }

  /** True when nothing of it runs or waits, hooks included. */
  get asleep(): boolean {
    return this.#turns.asleep && !this.toolbox.busy && !this.services.busy;
  }

  /** Those that run or wait, and the newest. */
  get turns(): Turns {
    return this.#turns;
  }

  /**
   * Queues a new turn; its calls are known or still to come.
   * @throws Problem `draining`, `turn-queue-full`, `store-unavailable`, `session-not-found` once closed
   */
  startTurn(format: MessageFormat, calls: readonly ToolUse[] | null): Turn {
    this.#assertAccepting();
    this.assertRoom();
    const turn = new Turn(newTurnRecord({ id: newId('turn'), ordinal: this.#turns.nextOrdinal(), format }));
    for (const call of calls ?? []) turn.accept(call);
    if (calls !== null) turn.endInput();
    this.#add(turn);
    this.version += 1;
    this.updatedAt = Date.now();
    return turn;
  }

  /** Queues a turn that was open when the service ended, to go on where it was. */
  resume(turn: Turn, { changes, clientCalls }: Pick<FoldedTurn, 'changes' | 'clientCalls'>): void {
    this.approvals.restore(turn.id, turn.record.approvals.values());
    this.clientCalls.restore(turn.id, clientCalls);
    this.state = frozenState({ ...this.state, ...changes });
    this.parts.observer.turnResumed(turn.record, this);
    this.#add(turn);
    this.version += 1;
  }

  #add(turn: Turn): void {
    this.parts.observer.turnQueued(turn.record, this);
    this.#turns.add(turn);
  }

  /** Hears the hooks that stand before the first turn, which waits for them. */
  begin(source: 'startup' | 'resume'): void {
    // An agent's session is a part of the one that wants it.
    if (this.child === undefined && this.guard.hooks.listens('SessionStart')) void this.#turns.before(() => this.guard.hearStart(source));
  }

  /** One more call of an open turn. */
  accept(turn: Turn, use: ToolUse): void {
    if (!turn.accept(use)) throw new Problem('turn-not-found', 'The turn takes no more calls: send this one again, for a new turn.');
    this.version += 1;
  }

  /** Keeps a turn that waits, so that an answer that names it stays true after a crash. @throws Problem `store-unavailable` */
  async keepQueued(turn: Turn): Promise<void> {
    // One that runs has begun with what is on its way into the log.
    if (turn.record.status !== 'queued') return this.log.keptAll();
    turn.startSeq = this.log.nextSeq - 1;
    await this.log.append({ events: [], turn: turnRow(turn, this.id) });
  }

  /** What tools may know of the session for as long as it does not change. */
  get facts(): SessionFacts {
    const { workspace, readableRoots, writableRoots } = this.place;
    const { allowedModes } = this.parts;
    return { sessionId: this.id, workspace, readableRoots, writableRoots, env: this.settings.env, ...(allowedModes && { allowedModes }) };
  }

  /** True when the log could not be kept: the session must be opened again from the store. */
  get broken(): boolean {
    return this.log.failed;
  }

  /** What its tools may know when they describe themselves. */
  get described(): DescribeContext {
    return { workspace: this.place.workspace, skills: this.place.skills.list() };
  }

  get tasks() {
    return this.services.tasks;
  }

  get toolsHash(): string {
    return this.toolbox.hash(this.described);
  }

  /**
   * Changes the settings, and with them those of its agents, one change after another: rules hold at once, all else from the
   * next turn on.
   * @param next what the settings become of what they are when it is its turn
   * @param about `mode`: true when the mode is to be as they say, whatever a call has made of it
   * @throws Problem `forbidden`, `store-unavailable`, and what `next` throws
   */
  change(next: (settings: SessionSettings) => SessionSettings, { mode = false } = {}): Promise<void> {
    return this.#changes.add(() => changeSettings(this, { next, setsMode: mode }));
  }

  /** The model has seen the schemas of these tools. @throws Problem `store-unavailable` */
  async loadTools(names: readonly string[]): Promise<void> {
    const { loadedTools } = this.state;
    if (names.every((name) => loadedTools.includes(name))) return;
    await this.#note({ loadedTools: withLoaded(loadedTools, names) });
  }

  /** A schedule has had its last time. @throws Problem `store-unavailable` */
  async unschedule(id: string): Promise<void> {
    await this.#note({ schedules: (this.state.schedules ?? []).filter((schedule) => schedule.id !== id) });
    this.services.renew();
  }

  /** Keeps a change of the state that no call has made. */
  async #note(changes: Partial<SessionState>): Promise<void> {
    this.state = frozenState({ ...this.state, ...changes });
    await this.log.append({ events: [{ type: 'context_changed', changes: toTravel(changes) }], session: this.row() });
  }

  /** Keeps the session as it is now. Never throws. */
  keep(): void {
    this.log
      .append({ events: [], session: this.row() })
      .catch((error: unknown) => this.parts.report(`session ${this.id} could not be kept`, error));
  }

  /** A background task has ended. Never throws. */
  async noteTask(task: TaskSummary): Promise<void> {
    this.updatedAt = Date.now();
    try {
      await this.log.append({ events: [{ type: 'task_finished', task }], session: this.row() });
    } catch (error) {
      this.parts.report(`the end of task ${task.id} could not be kept`, error);
    }
  }

  /** An agent's session goes with this one. @throws Problem `session-not-found` once closed, `store-unavailable` */
  async adopt(childId: string): Promise<void> {
    this.assertOpen();
    this.children = [...this.children, childId];
    await this.log.append({ events: [], session: this.row() });
  }

  /** Work that no turn may run beside: those that come meanwhile wait for it. @throws Problem `file-conflict` for what is in the way */
  between<Result>(work: () => Promise<Result>): Promise<Result> {
    this.assertOpen();
    const detail = inTheWay(this);
    if (detail !== undefined) throw new Problem('file-conflict', detail);
    return this.#turns.before(work);
  }

  /** The session's row for the end of a turn, when what is kept of it is out of date. */
  staleRow(): SessionRow | undefined {
    const now = Date.now();
    if (this.state === this.#keptState && now - this.#keptAt < ROW_AGE_MS) return undefined;
    this.#keptState = this.state;
    this.#keptAt = now;
    return this.row();
  }

  row(): SessionRow {
    const document = JSON.stringify(keptSession(this));
    return { id: this.id, owner: this.owner, createdAt: this.createdAt, expiresAt: this.expiresAt, document };
  }

  /** Ends the session: aborts every turn, waits for them to end, and hears the hooks that stand at the end. */
  close(reason: string): Promise<void> {
    this.#over = true;
    const last = (): Promise<void> => (this.child === undefined ? this.guard.hearEnd() : Promise.resolve());
    return (this.#ending ??= this.#end((turn) => turn.abort(reason), last));
  }

  /** Aborts every turn and lets go of everything, for another object to take its place: the session itself goes on. */
  letGo(reason: string): Promise<void> {
    return (this.#ending ??= this.#end((turn) => turn.abort(reason)));
  }

  /** Nothing of it may run on here: no call may finish what it is at, also where the session ends already. */
  #stopAtOnce(reason: string): void {
    void this.letGo(reason);
    for (const turn of this.#turns.open) turn.abort(reason, { atOnce: true });
    this.services.close().catch(() => {
      // Whoever waits for the end of the session is told.
    });
  }

  /**
   * Leaves its turns for whoever opens the session next, and lets go of everything. One that waits is kept for that where a
   * message that is sent again is known by its ids; elsewhere whoever sent it sends it again.
   */
  suspend(reason: string): Promise<void> {
    const keep = this.settings.execution.call_ids === 'unique';
    this.approvals.leave();
    return (this.#ending ??= this.#end((turn) => {
      const kept = keep && turn.record.status === 'queued' ? this.keepQueued(turn) : undefined;
      turn.leave(reason);
      kept?.catch((error: unknown) => this.parts.report(`turn ${turn.id} of session ${this.id} could not be left to go on`, error));
    }));
  }

  /** Readers are let go after the last event. */
  async #end(stop: (turn: Turn) => void, last?: () => Promise<void>): Promise<void> {
    this.#closed = true;
    this.guard.endStart();
    for (const turn of this.#turns.open) stop(turn);
    await this.#turns.idle();
    await last?.();
    await this.services.close();
    await this.toolbox.close();
    await this.log.release();
  }

  /** @throws Problem `session-not-found` once it has ended, `session-elsewhere` once it was let go of, `store-unavailable` */
  assertOpen(): void {
    if (this.#over) throw new Problem('session-not-found', `Session ${this.id} is closed.`);
    if (this.#closed)
      throw new Problem('session-elsewhere', `Session ${this.id} was let go of here just now: try again.`, { retryAfterSeconds: 1 });
    this.#assertNotBroken();
  }

  #assertNotBroken(): void {
    if (this.broken)
      throw new Problem('store-unavailable', 'The log of the session could not be kept: try again.', { retryAfterSeconds: 1 });
  }

  /** @throws Problem `turn-queue-full`, and as {@link assertOpen} */
  assertRoom(): void {
    this.assertOpen();
    const { queuedTurns } = this.parts.limits;
    if (this.#turns.size <= queuedTurns) return;
    throw new Problem('turn-queue-full', `At most ${queuedTurns} turns may wait in a session; wait for one to end.`, {
      retryAfterSeconds: 1,
    });
  }

  async #run(turn: Turn): Promise<void> {
    try {
      if (turn.control.left) throw goesOn(turn);
      this.#assertNotBroken();
      if (turn.earlier === undefined) turn.startSeq = this.log.nextSeq - 1;
      const reply = await runTurn(turn, this);
      if (reply === null) throw goesOn(turn);
      this.#ended(turn, true);
      turn.settle(reply);
    } catch (error) {
      this.#ended(turn, false);
      this.parts.observer.turnLeft(turn.record, this);
      turn.fail(error);
      // What this object knows is no longer what is kept: its readers go, and the next request opens the session anew.
      if (this.broken) this.log.close();
    }
  }

  #ended(turn: Turn, kept: boolean): void {
    this.approvals.forget(turn.id);
    if (kept) this.usedIds.add(turn.record.calls.keys());
    else this.usedIds.forget();
    this.clientCalls.forget(turn.id);
    this.version += 1;
    this.updatedAt = Date.now();
    this.#turns.remove(turn, kept);
    this.services.renew();
  }
}
