// Runs the calls of one turn as they arrive. Intake prepares each call and places it into a batch; batches run one
// after another, the calls of a concurrent one side by side; results leave in call order.
import { setImmediate } from 'node:timers/promises';
import type { EngineEvent, PermissionContext, SessionState, ToolServices, ToolUse } from '../contract/index.ts';
import { unlessInDoubt } from './call/after-interruption.ts';
import { doubtAbout } from './call/begun-call.ts';
import { Outside } from './call/ask-people.ts';
import { BatchRun } from './schedule/batch-run.ts';
import { stoppedEnding, type CallCase, type CallEnding } from './call/call-case.ts';
import { CallStop } from './call/call-stop.ts';
import { carryCall } from './call/carry-call.ts';
import { finishedEvent, queuedEvent, startedEvent, type Entry } from './entry.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { finishEntry } from './finish-entry.ts';
import { located, mayJoin, touchedBy } from './schedule/footprint.ts';
import { progressView } from './prepare/observable.ts';
import type { Outbox } from './release/outbox.ts';
import { joinsBatch } from './schedule/partition.ts';
import { prepare, type PreparedCall, type ReadyCall } from './prepare/prepare.ts';
import { applyModifiers, changedKeys } from './apply-modifiers.ts';
import { ResultsOut } from './results-out.ts';
import { Siblings } from './schedule/siblings.ts';
import { Slots } from './call/slots.ts';

/** How long a running write may go on after an abort, in milliseconds. */
const FINISH_HOLD_MS = 5_000;
/** Milliseconds of checking calls after which timers and other sessions have a turn. */
const INTAKE_SLICE_MS = 5;

/** The part of what calls get that is the same for all of them until one changes the state. */
interface Shared {
  readonly permissions: PermissionContext;
  readonly context: PermissionContext & ToolServices & Pick<ExecutionOptions, 'turnId' | 'format'>;
}

export class StreamingExecutor {
  readonly #options: ExecutionOptions;
  readonly #outbox: Outbox;
  readonly #results: ResultsOut;
  readonly #slots: Slots;
  readonly #done = Promise.withResolvers<void>();
  /** The batch that runs. */
  #current: BatchRun<Entry> | undefined;
  /** Batches that wait for it, in call order. */
  readonly #later: BatchRun<Entry>[] = [];
  #siblings: Siblings | undefined;
  #batches = 0;
  #inputEnded = false;
  #state: SessionState;
  /** What every call gets that runs while the state is as it is. */
  #shared: Shared | undefined;
  #fault: { readonly error: unknown } | undefined;

  constructor(options: ExecutionOptions, outbox: Outbox) {
    this.#options = options;
    this.#outbox = outbox;
    this.#state = options.state;
    this.#slots = new Slots(options.limits.maxConcurrency);
    this.#results = new ResultsOut(options, outbox, () => this.#current);
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
        await setImmediate();
        sliceStart = performance.now();
      }
      if (this.#inputEnded) return;
      this.#take(use, index++);
    }
  }

  #take(use: ToolUse, index: number): void {
    const { guards, earlier: known } = this.#options;
    const prepared = prepare(use, guards.catalog);
    const batch = this.#batchFor(mayJoin(prepared, this.#options.schedule, this.#permissions));
    const earlier = known?.get(use.id);
    const entry: Entry = {
      index,
      use,
      prepared,
      queuedAt: performance.now(),
      siblings: this.#siblingsOf(prepared),
      waits: { ms: 0 },
      modifiers: [],
      ...(earlier && { earlier }),
    };
    batch.add(entry);
    if (earlier === undefined) void this.#outbox.put(queuedEvent(entry, batch));
    if (batch === this.#current) this.#begin(entry, batch);
  }

  #siblingsOf({ concurrencySafe }: PreparedCall): Siblings {
    if (!joinsBatch(this.#siblings, concurrencySafe)) this.#siblings = new Siblings(concurrencySafe);
    return this.#siblings as Siblings;
  }

  #batchFor(joins: boolean): BatchRun<Entry> {
    const last = this.#later.at(-1) ?? this.#current;
    if (last?.open === true && joinsBatch(last, joins)) return last;
    const next = new BatchRun<Entry>(this.#batches++, joins);
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
    void this.#inOrder(entry, batch)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        batch.unfinished -= 1;
        if (batch.over) this.#complete(batch);
      });
  }

  /** The batch is over: what its calls have changed is applied, and the next one begins. */
  #complete(batch: BatchRun<Entry>): void {
    const { guards, control } = this.#options;
    if (control.left) this.#results.letGo();
    if (control.left || !guards.hooks.listens('PostToolBatch')) this.#proceed(batch);
    else
      void this.#results
        .hearBatch(batch, this.#permissions)
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
    this.#results.end();
    if (this.#fault === undefined) this.#done.resolve();
    else this.#done.reject(this.#fault.error);
  }

  /** What the turn cannot go on with: everything is stopped, and waited for. */
  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#options.control.abort('The turn could not go on.');
    this.endInput();
  }

  /** Runs a call when no earlier one is in its way. */
  async #inOrder(entry: Entry, batch: BatchRun<Entry>): Promise<void> {
    const { prepared } = entry;
    if (this.#options.schedule === 'partition' || prepared.kind === 'refused') return this.#runEntry(entry, batch);
    const { files } = this.#options.services;
    const touched = touchedBy(prepared, this.#permissions);
    const leave = await batch.conflicts.enter(touched, () => located(touched, (path) => files.real(path)));
    return this.#runEntry(entry, batch).finally(leave);
  }

  async #runEntry(entry: Entry, batch: BatchRun<Entry>): Promise<void> {
    const end = entry.earlier?.end;
    if (end !== undefined) return this.#results.finish({ entry, outcome: end.outcome, finish: end });
    if (this.#outbox.full) await this.#outbox.room();
    const { control, onToolError } = this.#options;
    if (control.left) return;
    const refusal = this.#refusal(entry);
    const ending =
      refusal === undefined
        ? await this.#carry(entry, entry.prepared as ReadyCall, batch)
        : unlessInDoubt(refusal, doubtAbout(entry.earlier?.begun));
    if (ending === undefined) return;
    const finished = await finishEntry(entry, ending, this.#options);
    entry.modifiers = finished.ending.modifiers;
    entry.content = finished.finish.content;
    const { outcome } = finished.ending;
    const failed = outcome === 'tool_error' || outcome === 'timed_out';
    if (failed && entry.prepared.tool?.abortsSiblings === true && onToolError === 'cancel_siblings') entry.siblings.fail(entry.use);
    control.leave(entry.use.id);
    if (control.stopped?.kind === 'discarded') return;
    void this.#outbox.put(finishedEvent(entry, finished.ending, finished.finish));
    this.#results.finish({ entry, outcome, finish: finished.finish });
  }

  /** Why a call does not even begin, if it does not. */
  #refusal({ prepared, use, siblings }: Entry): CallEnding | undefined {
    if (prepared.kind === 'refused') return { outcome: prepared.outcome, message: prepared.message, modifiers: [] };
    const stopped = this.#options.control.stopOf(use.id) ?? (prepared.tool.abortsSiblings ? siblings.failed : undefined);
    return stopped && stoppedEnding(stopped);
  }

  /** @returns `undefined` of a call that is left without an end */
  async #carry(entry: Entry, ready: ReadyCall, batch: BatchRun<Entry>): Promise<CallEnding | undefined> {
    const { control, limits } = this.#options;
    const stop = new CallStop({ graceMs: limits.graceMs, holdMs: ready.tool.interruptBehavior === 'finish' ? FINISH_HOLD_MS : 0 });
    let running = true;
    const tell = (event: EngineEvent): void => {
      // Nobody has answered what is asked of a call that is left: whoever goes on with it asks still.
      if (!stop.left) void this.#outbox.put(event);
    };
    const progress = (data: unknown): void => {
      if (!running) return;
      const view = progressView(ready.tool, data);
      this.#outbox.offer({ type: 'progress', tool_use_id: entry.use.id, data, ...(view && { view }) });
    };
    control.enter(entry.use.id, stop);
    if (ready.tool.abortsSiblings) entry.siblings.enter(stop);
    try {
      const call = this.#case(entry, batch, { stop, timeoutMs: ready.tool.timeoutMs, progress, tell });
      const ending = await carryCall(call, ready, (changed) => !batch.concurrent || this.#fits(changed, ready));
      return stop.left && (ending.outcome === 'aborted' || ending.outcome === 'outcome_unknown') ? undefined : ending;
    } finally {
      running = false;
      entry.siblings.leave(stop);
    }
  }

  /** What another input touches has not been waited for: unless it is safe beside anything, such a call runs alone. */
  #fits(changed: ReadyCall, planned: ReadyCall): boolean {
    return this.#options.schedule === 'partition' ? changed.concurrencySafe : changed.input === planned.input;
  }

  get #permissions(): PermissionContext {
    return this.#sharedContext.permissions;
  }

  get #sharedContext(): Shared {
    const { facts, services, turnId, format } = this.#options;
    if (this.#shared?.permissions.state !== this.#state) {
      const permissions = { ...facts, state: this.#state };
      this.#shared = { permissions, context: { ...permissions, ...services, turnId, format } };
    }
    return this.#shared;
  }

  #case(entry: Entry, batch: BatchRun<Entry>, own: Pick<CallCase, 'stop' | 'timeoutMs' | 'progress' | 'tell'>): CallCase {
    const { control, guards, turnId, outputs } = this.#options;
    const { permissions, context } = this.#sharedContext;
    const { use, waits } = entry;
    const reach = { ...own, use, turnId, guards, slots: this.#slots };
    const outside = new Outside(reach);
    return {
      ...reach,
      waits,
      outside,
      permissions,
      contextFor: (decision) => ({
        ...context,
        decision,
        toolUseId: use.id,
        signal: own.stop.signal,
        people: outside,
        backgroundRequest: () => control.backgroundRequest(use.id),
        outputFile: outputs.pathFor(turnId, entry.index),
      }),
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
