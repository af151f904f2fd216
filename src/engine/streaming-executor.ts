// Runs the calls of one turn as they arrive. Intake prepares each call and places it into a batch; batches run one
// after another, the calls of a concurrent one side by side; results leave in call order.
import { type EngineEvent, type SessionState, type ToolUse } from '../contract/index.ts';
import { unlessInDoubt } from './after-interruption.ts';
import { doubtAbout } from './begun-call.ts';
import { Outside, type Asking } from './ask-people.ts';
import { BatchRun } from './batch-run.ts';
import { stoppedEnding, type CallCase, type CallEnding } from './call-case.ts';
import { CallStop } from './call-stop.ts';
import { carryCall } from './carry-call.ts';
import { finishedEvent, queuedEvent, resultEvent, startedEvent, type EarlierCall, type Entry, type Released } from './entry.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { finishEntry } from './finish-entry.ts';
import { withNotes } from './hook-notes.ts';
import { progressView } from './observable.ts';
import { OrderedRelease } from './order.ts';
import type { Outbox } from './outbox.ts';
import { joinsBatch } from './partition.ts';
import { prepare, type ReadyCall } from './prepare.ts';
import { applyModifiers, changedKeys } from './session-state.ts';
import { Slots } from './slots.ts';

/** How long a running write may go on after an abort, in milliseconds. */
const FINISH_HOLD_MS = 5_000;

/** Milliseconds of checking calls after which timers and other sessions have a turn. */
const INTAKE_SLICE_MS = 5;
export class StreamingExecutor {
  readonly #options: ExecutionOptions;
  readonly #outbox: Outbox;
  readonly #order: OrderedRelease<Released>;
  readonly #slots: Slots;
  readonly #done = Promise.withResolvers<void>();
  /** The batch that runs. */
  #current: BatchRun<Entry> | undefined;
  /** Batches that wait for it, in call order. */
  readonly #later: BatchRun<Entry>[] = [];
  #batches = 0;
  #inputEnded = false;
  /** A finished call whose result waits for the hooks that stand after its batch. */
  #held: Released | undefined;
  /** What hooks after a batch have said that no result has carried yet. */
  readonly #carried: string[] = [];
  #state: SessionState;
  #fault: { readonly error: unknown } | undefined;

  constructor(options: ExecutionOptions, outbox: Outbox) {
    this.#options = options;
    this.#outbox = outbox;
    this.#state = options.state;
    this.#slots = new Slots(options.limits.maxConcurrency);
    this.#order = new OrderedRelease((released) => this.#release(released));
  }

  /** Ends when every call that arrived has its result, or the turn is discarded. */
  async run(calls: Iterable<ToolUse> | AsyncIterable<ToolUse>): Promise<void> {
    this.#takeIn(calls).then(
      () => this.endInput(),
      (error: unknown) => this.#fail(error),
    );
    await this.#done.promise;
  }

  /** No more calls are taken, whatever the source still gives. */
  endInput(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    this.#close(this.#later.at(-1) ?? this.#current);
    this.#settle();
  }

  async #takeIn(calls: Iterable<ToolUse> | AsyncIterable<ToolUse>): Promise<void> {
    let index = 0;
    let sliceStart = performance.now();
    for await (const use of calls) {
      if (this.#outbox.full) await this.#outbox.room();
      if (performance.now() - sliceStart > INTAKE_SLICE_MS) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        sliceStart = performance.now();
      }
      if (this.#inputEnded) return;
      this.#take(use, index++);
    }
  }

  #take(use: ToolUse, index: number): void {
    const { guards, earlier: known } = this.#options;
    const prepared = prepare(use, guards.catalog);
    const batch = this.#batchFor(prepared.concurrencySafe);
    const earlier = known?.get(use.id);
    const entry: Entry = { index, use, prepared, queuedAt: performance.now(), modifiers: [], ...(earlier && { earlier }) };
    batch.add(entry);
    if (earlier === undefined) void this.#outbox.put(queuedEvent(entry, batch));
    if (batch === this.#current) this.#begin(entry, batch);
  }

  #batchFor(concurrencySafe: boolean): BatchRun<Entry> {
    const last = this.#later.at(-1) ?? this.#current;
    if (last?.open === true && joinsBatch(last, concurrencySafe)) return last;
    const next = new BatchRun<Entry>(this.#batches++, concurrencySafe);
    this.#close(last);
    if (this.#current === undefined) this.#current = next;
    else this.#later.push(next);
    return next;
  }

  #close(batch: BatchRun<Entry> | undefined): void {
    if (batch?.open !== true) return;
    batch.open = false;
    if (batch.over) this.#complete(batch);
  }

  #begin(entry: Entry, batch: BatchRun<Entry>): void {
    void this.#runEntry(entry, batch)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        batch.unfinished -= 1;
        if (batch.over) this.#complete(batch);
      });
  }

  /** The batch is over: what its calls have changed is applied, and the next one begins. */
  #complete(batch: BatchRun<Entry>): void {
    if (!this.#options.guards.hooks.listens('PostToolBatch')) this.#proceed(batch);
    else
      void this.#hearBatch(batch)
        .catch((error: unknown) => this.#fail(error))
        .finally(() => this.#proceed(batch));
  }

  #proceed(batch: BatchRun<Entry>): void {
    for (const entry of batch.entries) this.#applyModifiers(entry);
    const next = (this.#current = this.#later.shift());
    for (const entry of next?.entries ?? []) this.#begin(entry, next as BatchRun<Entry>);
    this.#settle();
  }

  #settle(): void {
    if (!this.#inputEnded || this.#current !== undefined) return;
    this.#options.leftNotes?.(this.#carried.splice(0));
    if (this.#fault === undefined) this.#done.resolve();
    else this.#done.reject(this.#fault.error);
  }

  /** What the turn cannot go on with: everything is stopped, and waited for. */
  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#options.control.abort('The turn could not go on.');
    this.endInput();
  }

  async #runEntry(entry: Entry, batch: BatchRun<Entry>): Promise<void> {
    if (entry.earlier?.end !== undefined) return this.#repeat(entry, entry.earlier.end);
    if (this.#outbox.full) await this.#outbox.room();
    const { control, onToolError } = this.#options;
    const refusal = this.#refusal(entry, batch);
    const ending =
      refusal === undefined
        ? await this.#carry(entry, entry.prepared as ReadyCall, batch)
        : unlessInDoubt(refusal, doubtAbout(entry.earlier?.begun));
    const finished = await finishEntry(entry, ending, this.#options);
    entry.modifiers = finished.ending.modifiers;
    entry.content = finished.finish.content;
    const { outcome } = finished.ending;
    const failed = outcome === 'tool_error' || outcome === 'timed_out';
    if (failed && entry.prepared.tool?.abortsSiblings === true && onToolError === 'cancel_siblings') batch.fail(entry.use);
    control.leave(entry.use.id);
    if (control.stopped?.kind === 'discarded') return;
    void this.#outbox.put(finishedEvent(entry, finished.ending, finished.finish));
    this.#order.finish(entry.index, { entry, outcome, finish: finished.finish });
  }

  /** A call that has ended before the turn was interrupted. */
  #repeat(entry: Entry, end: NonNullable<EarlierCall['end']>): void {
    if (end.told === 'nothing') {
      void this.#outbox.put(finishedEvent(entry, { outcome: end.outcome, modifiers: [] }, end));
    }
    this.#order.finish(entry.index, { entry, outcome: end.outcome, finish: end });
  }

  /** Why a call does not even begin, if it does not. */
  #refusal({ prepared, use }: Entry, batch: BatchRun<Entry>): CallEnding | undefined {
    if (prepared.kind === 'refused') return { outcome: prepared.outcome, message: prepared.message, modifiers: [] };
    const stopped = this.#options.control.stopOf(use.id) ?? (prepared.tool.abortsSiblings ? batch.failed : undefined);
    return stopped && stoppedEnding(stopped);
  }

  async #carry(entry: Entry, ready: ReadyCall, batch: BatchRun<Entry>): Promise<CallEnding> {
    const { control, limits } = this.#options;
    const stop = new CallStop({ graceMs: limits.graceMs, holdMs: ready.tool.interruptBehavior === 'finish' ? FINISH_HOLD_MS : 0 });
    let running = true;
    const tell = (event: EngineEvent): void => void this.#outbox.put(event);
    const progress = (data: unknown): void => {
      if (!running) return;
      const view = progressView(ready.tool, data);
      this.#outbox.offer({ type: 'progress', tool_use_id: entry.use.id, data, ...(view && { view }) });
    };
    control.enter(entry.use.id, stop);
    if (ready.tool.abortsSiblings) batch.enter(stop);
    try {
      return await carryCall(this.#case(entry, batch, { stop, timeoutMs: ready.tool.timeoutMs, progress, tell }), ready, {
        slots: this.#slots,
        concurrent: batch.concurrent,
        tell,
      });
    } finally {
      running = false;
      batch.leave(stop);
    }
  }

  #case(entry: Entry, batch: BatchRun<Entry>, own: Pick<CallCase, 'stop' | 'timeoutMs' | 'progress'> & Pick<Asking, 'tell'>): CallCase {
    const { control, facts, services, guards, turnId, format, outputs } = this.#options;
    const { tell: _tell, ...held } = own;
    const permissions = { ...facts, state: this.#state };
    const { use } = entry;
    const outside = new Outside({ ...own, use, turnId, guards, slots: this.#slots });
    return {
      use,
      outside,
      guards,
      permissions,
      context: {
        ...permissions,
        ...services,
        turnId,
        toolUseId: use.id,
        format,
        signal: own.stop.signal,
        people: outside,
        backgroundRequest: () => control.backgroundRequest(use.id),
        outputFile: outputs.pathFor(turnId, entry.index),
      },
      ...held,
      resumed: this.#options.earlier !== undefined,
      begun: entry.earlier?.begun,
      doubt: doubtAbout(entry.earlier?.begun),
      announce: (ready, decision, intent) => {
        entry.startedAt = performance.now();
        return this.#outbox.put(startedEvent(entry, batch, { ready, decision, permissions, intent }));
      },
      halt: (reason) => control.halt(reason),
    };
  }

  /**
   * With hooks after batches, the last result of a batch waits for them: it carries what they say. While more calls may join
   * nobody knows which is the last, and no result waits: what the hooks say then goes with the next result there is.
   */
  #release(released: Released): void {
    const batch = this.#current;
    const waits = batch?.open === false && released.entry === batch.entries.at(-1) && this.#options.guards.hooks.listens('PostToolBatch');
    if (this.#held !== undefined) this.#tell(this.#held);
    this.#held = waits ? released : undefined;
    if (!waits) this.#tell(released);
  }

  async #hearBatch(batch: BatchRun<Entry>): Promise<void> {
    const { guards, facts, control } = this.#options;
    const permissions = { ...facts, state: this.#state };
    const calls = batch.entries.flatMap(({ use, prepared, content }) =>
      prepared.kind === 'ready' && content !== undefined
        ? [{ toolUseId: use.id, tool: prepared.tool, input: prepared.input, content }]
        : [],
    );
    // Calls that are told again have been heard of.
    if (calls.length === 0) return this.#letGo();
    const verdict = await guards.hooks.run({ event: 'PostToolBatch', calls }, permissions, control.signal);
    if (verdict.stop !== undefined) control.halt(verdict.stop.reason);
    const feedback = verdict.behavior === 'deny' && verdict.reason !== undefined ? [verdict.reason] : [];
    this.#carried.push(...feedback, ...verdict.additionalContext);
    this.#letGo();
  }

  #letGo(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#tell(held);
  }

  #tell(released: Released): void {
    if (released.entry.earlier?.end?.told === 'result' || this.#options.control.stopped?.kind === 'discarded') return;
    const { finish } = released;
    const content = withNotes(finish.content, this.#carried.splice(0));
    void this.#outbox.put(resultEvent({ ...released, finish: { ...finish, content } }));
  }

  #applyModifiers(entry: Entry): void {
    if (entry.modifiers.length === 0 || this.#options.control.stopped?.kind === 'discarded') return;
    const before = this.#state;
    this.#state = applyModifiers(before, entry.modifiers, (error) =>
      this.#outbox.offer({
        type: 'progress',
        tool_use_id: entry.use.id,
        data: { kind: 'warning', text: `A context change was skipped: ${error}` },
      }),
    );
    const changes = changedKeys(before, this.#state);
    if (changes !== undefined) void this.#outbox.put({ type: 'context_changed', changes });
  }
}
