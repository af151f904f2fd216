// One turn while it lives: calls go in, a record grows, and `done` tells that its last event is in the log.
import { Channel } from '../../engine/release/channel.ts';
import type { EarlierCall } from '../../engine/entry.ts';
import { TurnControl } from '../../engine/turn-control.ts';
import { Problem, type ApprovalSummary, type OutgoingMessage, type ToolUse, type TurnSummary } from '../../contract/index.ts';
import { needsAction, summarise, type TurnRecord } from './turn-record.ts';

/** Something that a turn waits for and that its client can bring. */
export type PendingAction =
  | ({ readonly type: 'approval' } & ApprovalSummary)
  | { readonly type: 'client_call'; readonly tool_use_id: string; readonly name: string; readonly input: unknown };

export interface TurnReply {
  readonly messages: OutgoingMessage[];
  readonly turn: TurnSummary;
  /** With status `requires_action`: what is waited for. */
  readonly pending?: readonly PendingAction[];
}

export class Turn {
  readonly record: TurnRecord;
  readonly control = new TurnControl();
  readonly input = new Channel<ToolUse>();
  /** `seq` of the last event before this turn's first. */
  startSeq = 0;
  readonly #uses = new Map<string, ToolUse>();
  readonly #done = Promise.withResolvers<TurnReply>();
  #inputReason: string | undefined;
  #cut = false;
  readonly #onAction = new Set<() => void>();
  /** Who waits for something of this turn to be in the log, by its id. */
  readonly #onKept = new Map<string, PromiseWithResolvers<void>>();

  /** Of a turn that goes on after an interruption: what is known of its calls. */
  readonly earlier: ReadonlyMap<string, EarlierCall> | undefined;

  constructor(record: TurnRecord, earlier?: ReadonlyMap<string, EarlierCall>) {
    this.record = record;
    this.earlier = earlier;
    this.#done.promise.catch(() => {
      // Whoever waits for the turn gets the error; a turn that nobody waits for must not end the process.
    });
  }

  get id(): string {
    return this.record.id;
  }

  /** Resolves when the turn's last event is in the log; rejects when the log could not be kept. */
  get done(): Promise<TurnReply> {
    return this.#done.promise;
  }

  summary(): TurnSummary {
    return summarise(this.record);
  }

  /** How the turn stands for a client that does not wait for its end. */
  progress(): TurnReply {
    const turn = this.summary();
    if (turn.status !== 'requires_action') return { messages: [], turn };
    const { approvals, clientCalls } = this.record;
    const pending: PendingAction[] = [
      ...[...approvals.values()].map((approval) => ({ type: 'approval' as const, ...approval })),
      ...[...clientCalls].map(([tool_use_id, call]) => ({ type: 'client_call' as const, tool_use_id, ...call })),
    ];
    return { messages: [], turn, pending };
  }

  get inputOpen(): boolean {
    return !this.input.closed;
  }

  get size(): number {
    return this.#uses.size;
  }

  /** Takes one more call. @returns false when its id is already in the turn, or the input has ended */
  accept(use: ToolUse): boolean {
    if (this.#uses.has(use.id) || this.input.closed) return false;
    this.#uses.set(use.id, use);
    this.record.known = this.#uses.size;
    this.input.push(use);
    return true;
  }

  has(toolUseId: string): boolean {
    return this.#uses.has(toolUseId);
  }

  /** No more calls will come. @param reason why it ended by itself, if it did */
  endInput(reason?: string): void {
    if (!this.input.closed) this.#inputReason = reason;
    this.input.close();
  }

  get inputReason(): string | undefined {
    return this.#inputReason;
  }

  /** The calls that have come so far, in order. */
  get calls(): ToolUse[] {
    return [...this.#uses.values()];
  }

  /** What runs is stopped, what waits is not started; each gets an error result. */
  abort(message: string, { atOnce = false } = {}): void {
    this.endInput();
    this.control.abort(message, { atOnce });
  }

  /** Whoever opens the session next goes on with it; here it ends without an end. @see TurnControl.leaveAll */
  leave(message: string): void {
    this.#cut = this.inputOpen;
    this.endInput();
    this.control.leaveAll(message);
  }

  /** True of a turn that was left while more calls might still have come. */
  get cut(): boolean {
    return this.#cut;
  }

  /** The results are dropped. */
  discard(): void {
    this.endInput();
    this.control.discard('The turn was discarded.');
  }

  /** Ends one call, also before it has begun: the others go on. */
  cancel(toolUseId: string): void {
    this.control.cancel(toolUseId, 'This call was cancelled by the user.');
  }

  /** Resolves when only people or the client are left to wait for, at once where that is so; never once `signal` has fired. */
  actionNeeded(signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onAction.add(resolve);
    signal?.addEventListener('abort', () => this.#onAction.delete(resolve), { once: true });
    this.noteProgress();
    return promise;
  }

  /** Something of the turn was kept: whoever waits for the moment when it needs somebody is told if that has come. */
  noteProgress(): void {
    if (this.#onAction.size === 0 || this.inputOpen || !needsAction(this.record)) return;
    for (const resolve of this.#onAction) resolve();
    this.#onAction.clear();
  }

  /** Resolves when the answer to this approval, or the end of this call, is in the log, or the turn has ended. */
  kept(id: string): Promise<void> {
    const waiting = this.#onKept.get(id) ?? Promise.withResolvers<void>();
    this.#onKept.set(id, waiting);
    return Promise.race([waiting.promise, this.done.then(() => undefined)]);
  }

  /** True while somebody waits for something to be in the log. */
  get awaited(): boolean {
    return this.#onKept.size > 0;
  }

  /** Answers to these approvals, or ends of these calls, are in the log. */
  noteKept(ids: readonly string[]): void {
    for (const id of ids) {
      this.#onKept.get(id)?.resolve();
      this.#onKept.delete(id);
    }
  }

  settle(reply: TurnReply): void {
    this.#done.resolve(reply);
  }

  fail(error: unknown): void {
    this.endInput();
    this.#done.reject(error);
  }
}

/** What they are told who wait here for a turn that was left. */
export function goesOn({ id }: Turn): Problem {
  const detail = `The service is shutting down, and turn ${id} goes on elsewhere or later: send the same message again, or ask for the turn.`;
  return new Problem('draining', detail, { retryAfterSeconds: 1 });
}
