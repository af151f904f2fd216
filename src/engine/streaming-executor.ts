// Runs the calls of one turn as they arrive. Intake prepares each call and places it into a batch; batches run one
// after another, the calls of a concurrent one side by side; results leave in call order.
import PQueue from 'p-queue';
import type {
  ContextModifier,
  Decision,
  OutputFiles,
  Policy,
  SessionFacts,
  SessionState,
  ToolCatalog,
  ToolResultBlock,
  ToolServices,
  ToolUse,
} from '../contract/index.ts';
import { BatchGroup } from './batch-group.ts';
import { CallStop } from './call-stop.ts';
import { finishCall, type CallFinish } from './finish-call.ts';
import { observableInput, plainView, useView } from './observable.ts';
import { OrderedRelease } from './order.ts';
import type { Outbox } from './outbox.ts';
import { messageOf } from './message-of.ts';
import { joinsBatch } from './partition.ts';
import { prepare, type PreparedCall, type ReadyCall } from './prepare.ts';
import { runCall, stoppedEnding, type CallEnding } from './run-call.ts';
import { applyModifiers, changedKeys } from './session-state.ts';
import type { TurnControl } from './turn-control.ts';
import { Channel } from './channel.ts';

export interface ExecutionLimits {
  /** Calls of a concurrent batch in flight at once. */
  readonly maxConcurrency: number;
  /** Milliseconds a stopped tool has before its call is closed without it. */
  readonly graceMs: number;
  /** Events that may wait for a slow consumer before new calls have to. */
  readonly bufferedEvents: number;
}

export interface ExecutionOptions {
  readonly turnId: string;
  readonly facts: SessionFacts;
  readonly state: SessionState;
  readonly catalog: ToolCatalog;
  readonly policy: Policy;
  readonly services: ToolServices;
  readonly outputs: OutputFiles;
  readonly limits: ExecutionLimits;
  readonly onToolError: 'cancel_siblings' | 'continue';
  readonly control: TurnControl;
}

/** A call on its way through the turn. */
interface Entry {
  readonly index: number;
  readonly use: ToolUse;
  readonly prepared: PreparedCall;
  readonly queuedAt: number;
  startedAt?: number;
  modifiers: readonly ContextModifier[];
}

type Released = { readonly entry: Entry; readonly ending: CallEnding; readonly finish: CallFinish };

/** How long a running write may go on after an abort, in milliseconds. */
const FINISH_HOLD_MS = 5_000;

/** Milliseconds of checking calls after which timers and other sessions have a turn. */
const INTAKE_SLICE_MS = 5;

export class StreamingExecutor {
  readonly #options: ExecutionOptions;
  readonly #outbox: Outbox;
  readonly #order: OrderedRelease<Released>;
  readonly #batches = new Channel<BatchGroup<Entry>>();
  #state: SessionState;

  constructor(options: ExecutionOptions, outbox: Outbox) {
    this.#options = options;
    this.#outbox = outbox;
    this.#state = options.state;
    this.#order = new OrderedRelease((released) => this.#yieldResult(released));
  }

  /** Ends when every call that arrived has its result, or the turn is discarded. */
  async run(calls: AsyncIterable<ToolUse>): Promise<void> {
    const steps = [this.#takeIn(calls), this.#runBatches()];
    for (const step of steps) {
      // What one of the two cannot go on with, the other need not finish: it is stopped before it is waited for.
      step.catch(() => this.#options.control.abort('The turn could not go on.'));
    }
    const fault = (await Promise.allSettled(steps)).find((step) => step.status === 'rejected');
    if (fault !== undefined) throw fault.reason;
  }

  async #takeIn(calls: AsyncIterable<ToolUse>): Promise<void> {
    let last: BatchGroup<Entry> | undefined;
    let index = 0;
    let batches = 0;
    let sliceStart = performance.now();
    try {
      for await (const use of calls) {
        if (this.#outbox.full) await this.#outbox.room();
        if (performance.now() - sliceStart > INTAKE_SLICE_MS) {
          await new Promise<void>((resolve) => setImmediate(resolve));
          sliceStart = performance.now();
        }
        const prepared = prepare(use, this.#options.catalog);
        if (last === undefined || !joinsBatch(last, prepared.concurrencySafe)) {
          last?.calls.close();
          last = new BatchGroup<Entry>(batches++, prepared.concurrencySafe);
          this.#batches.push(last);
        }
        const entry: Entry = { index: index++, use, prepared, queuedAt: performance.now(), modifiers: [] };
        this.#announceQueued(entry, last);
        last.calls.push(entry);
        if (!last.concurrent) last.calls.close();
      }
    } finally {
      last?.calls.close();
      this.#batches.close();
    }
  }

  async #runBatches(): Promise<void> {
    const queue = new PQueue({ concurrency: this.#options.limits.maxConcurrency });
    for await (const batch of this.#batches) {
      const entries: Entry[] = [];
      let fault: unknown;
      for await (const entry of batch.calls) {
        entries.push(entry);
        queue.add(() => this.#runEntry(entry, batch)).catch((error: unknown) => (fault ??= error));
      }
      await queue.onIdle();
      if (fault !== undefined) throw fault;
      for (const entry of entries) this.#applyModifiers(entry);
    }
  }

  async #runEntry(entry: Entry, batch: BatchGroup<Entry>): Promise<void> {
    const { control } = this.#options;
    if (this.#outbox.full) await this.#outbox.room();
    const { ready, refusal } = this.#admit(entry, batch);
    const { ending, finish } = await this.#finish(entry, ready === undefined ? refusal : await this.#start(entry, ready, batch));
    entry.modifiers = ending.modifiers;
    const failed = ending.outcome === 'tool_error' || ending.outcome === 'timed_out';
    if (failed && entry.prepared.tool?.abortsSiblings === true && this.#options.onToolError === 'cancel_siblings') batch.fail(entry.use);
    control.leave(entry.use.id);
    if (control.stopped?.kind === 'discarded') return;
    this.#announceFinished(entry, ending, finish);
    this.#order.finish(entry.index, { entry, ending, finish });
  }

  /** Whether a call starts, or why not. */
  #admit(
    { prepared, use }: Entry,
    batch: BatchGroup<Entry>,
  ): { ready: ReadyCall; refusal?: never } | { ready?: never; refusal: CallEnding } {
    if (prepared.kind === 'refused') return { refusal: { outcome: prepared.outcome, message: prepared.message, modifiers: [] } };
    const stopped = this.#options.control.stopOf(use.id) ?? (prepared.tool.abortsSiblings ? batch.failed : undefined);
    return stopped === undefined ? { ready: prepared } : { refusal: stoppedEnding(stopped) };
  }

  async #start(entry: Entry, ready: ReadyCall, batch: BatchGroup<Entry>): Promise<CallEnding> {
    const { use } = entry;
    const { control, facts, services, policy, turnId, outputs, limits } = this.#options;
    const { tool } = ready;
    const stop = new CallStop({ graceMs: limits.graceMs, holdMs: tool.interruptBehavior === 'finish' ? FINISH_HOLD_MS : 0 });
    control.enter(use.id, stop);
    if (tool.abortsSiblings) batch.enter(stop);
    const permissions = { ...facts, state: this.#state };
    entry.startedAt = performance.now();
    let running = true;
    try {
      return await runCall({
        use,
        ready,
        policy,
        permissions,
        context: {
          ...permissions,
          ...services,
          turnId,
          toolUseId: use.id,
          signal: stop.signal,
          outputFile: outputs.pathFor(turnId, entry.index),
        },
        stop,
        announce: (decision) => this.#announceStarted(entry, batch, decision),
        progress: (data) => running && this.#outbox.offer({ type: 'progress', tool_use_id: use.id, data }),
      });
    } finally {
      running = false;
      batch.leave(stop);
    }
  }

  async #finish(entry: Entry, ending: CallEnding): Promise<{ ending: CallEnding; finish: CallFinish }> {
    const { outputs, turnId } = this.#options;
    const { prepared, use, index } = entry;
    const input = prepared.kind === 'ready' ? prepared.input : use.input;
    const request = { use, tool: prepared.tool, input, outputs, outputFile: outputs.pathFor(turnId, index) };
    try {
      const finish = await finishCall({ ...request, ending });
      return { ending, finish: { ...finish, view: plainView(finish.view, use.name) } };
    } catch (error) {
      // A result that cannot even be read costs its own call, and no other.
      const failed: CallEnding = { outcome: 'tool_error', message: `The result could not be read: ${messageOf(error)}`, modifiers: [] };
      return { ending: failed, finish: await finishCall({ ...request, ending: failed }) };
    }
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

  #announceQueued({ use, index, prepared }: Entry, batch: BatchGroup<Entry>): void {
    const { name, input } = use;
    void this.#outbox.put({
      type: 'call_queued',
      tool_use_id: use.id,
      index,
      name,
      input,
      batch: batch.index,
      concurrent: batch.concurrent,
      ...coercedOf(prepared),
    });
  }

  #announceStarted(entry: Entry, batch: BatchGroup<Entry>, decision: Decision): Promise<void> {
    const { prepared, use } = entry;
    if (prepared.kind === 'refused') return Promise.resolve();
    const permissions = { ...this.#options.facts, state: this.#state };
    return this.#outbox.put({
      type: 'call_started',
      tool_use_id: use.id,
      name: prepared.tool.name,
      batch: batch.index,
      concurrent: batch.concurrent,
      input: observableInput(prepared.tool, prepared.input, permissions),
      view: useView(prepared.tool, prepared.input),
      decision,
      effect: prepared.effect,
      ...coercedOf(prepared),
    });
  }

  #announceFinished(entry: Entry, ending: CallEnding, finish: CallFinish): void {
    const now = performance.now();
    const startedAt = entry.startedAt ?? now;
    void this.#outbox.put({
      type: 'call_finished',
      tool_use_id: entry.use.id,
      outcome: ending.outcome,
      is_error: finish.isError,
      duration_ms: Math.round(now - startedAt),
      queued_ms: Math.round(startedAt - entry.queuedAt),
      result: resultBlock(entry, finish),
      view: finish.view,
      ...(ending.outcome === 'denied' && ending.decision && { decision: ending.decision }),
    });
  }

  #yieldResult({ entry, ending, finish }: Released): void {
    const { id, name } = entry.use;
    void this.#outbox.put({
      type: 'tool_result',
      index: entry.index,
      tool_use_id: id,
      name: entry.prepared.tool?.name ?? name,
      outcome: ending.outcome,
      result: resultBlock(entry, finish),
      view: finish.view,
    });
  }
}

function resultBlock({ use }: Entry, { content, isError }: CallFinish): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: use.id, content, is_error: isError };
}

function coercedOf(prepared: PreparedCall): { coerced?: string[] } {
  return prepared.kind === 'ready' && prepared.coerced.length > 0 ? { coerced: [...prepared.coerced] } : {};
}
