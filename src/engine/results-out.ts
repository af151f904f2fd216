// Results on their way out, in call order. With hooks after batches the last result of a batch waits for them and carries
// what they say. While more calls may join nobody knows which is the last, and no result waits: what the hooks say then goes
// with the next result there is.
import type { PermissionContext } from '../contract/index.ts';
import type { BatchRun } from './schedule/batch-run.ts';
import { resultEvent, type Entry, type Released } from './entry.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { feedbackOf, hearHooks, withNotes } from './call/hear-hooks.ts';
import { OrderedRelease } from './release/order.ts';
import type { Outbox } from './release/outbox.ts';

type Options = Pick<ExecutionOptions, 'guards' | 'control' | 'leftNotes'>;

export class ResultsOut {
  readonly #options: Options;
  readonly #outbox: Outbox;
  readonly #current: () => BatchRun<Entry> | undefined;
  readonly #order = new OrderedRelease<Released>((released) => this.#release(released));
  #held: Released | undefined;
  /** What hooks after a batch have said that no result has carried yet. */
  readonly #carried: string[] = [];

  /** @param current the batch that runs */
  constructor(options: Options, outbox: Outbox, current: () => BatchRun<Entry> | undefined) {
    this.#options = options;
    this.#outbox = outbox;
    this.#current = current;
  }

  /** A call has ended: its result goes out when those of all earlier ones have. */
  finish(released: Released): void {
    this.#order.finish(released.entry.index, released);
  }

  /** Lets the hooks speak that stand after a batch, and the result go that waited for them. */
  async hearBatch(batch: BatchRun<Entry>, permissions: PermissionContext): Promise<void> {
    const { guards, control } = this.#options;
    const calls = batch.entries.flatMap(({ use, prepared, content }) =>
      prepared.kind === 'ready' && content !== undefined
        ? [{ toolUseId: use.id, tool: prepared.tool, input: prepared.input, content }]
        : [],
    );
    // Calls that are told again have been heard of.
    if (calls.length === 0) return this.letGo();
    // People are told beside the result that waits: nothing is told of a call whose result is out.
    const progress = (data: unknown): void => {
      if (this.#held !== undefined) this.#outbox.offer({ type: 'progress', tool_use_id: this.#held.entry.use.id, data });
    };
    const listener = { guards, permissions, progress, halt: (reason: string) => control.halt(reason) };
    this.#carried.push(...feedbackOf(await hearHooks(listener, { event: 'PostToolBatch', calls }, control.signal)));
    this.letGo();
  }

  /** Nothing more comes: what no result has carried is for the next turn. */
  end(): void {
    this.#options.leftNotes?.(this.#carried.splice(0));
  }

  #release(released: Released): void {
    const batch = this.#current();
    const waits = batch?.open === false && released.entry === batch.entries.at(-1) && this.#options.guards.hooks.listens('PostToolBatch');
    if (this.#held !== undefined) this.#tell(this.#held);
    this.#held = waits ? released : undefined;
    if (!waits) this.#tell(released);
  }

  /** The result that waits for hooks after its batch goes without them. */
  letGo(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#tell(held);
  }

  #tell(released: Released): void {
    if (released.entry.earlier?.end?.released === true || this.#options.control.stopped?.kind === 'discarded') return;
    const { finish } = released;
    const content = withNotes(finish.content, this.#carried.splice(0));
    void this.#outbox.put(resultEvent({ ...released, finish: { ...finish, content } }));
  }
}
