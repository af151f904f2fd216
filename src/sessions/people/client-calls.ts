// Calls that lie with the session's client: each goes to one socket that runs such tools, or to all while none does. The
// first answer counts.
import { Problem, type ClientAnswer, type ClientCalls, type ClientRequest, type OpenClientCall } from '../../contract/index.ts';
import { callKey } from './call-key.ts';
import type { LogItem } from '../log/log-reader.ts';

/** A socket that may run calls. */
export interface ClientRunner {
  /** Names of the tools that it runs. */
  readonly tools: ReadonlySet<string>;
  /** Calls may concern it now that did not before. */
  wake(): void;
}

interface OpenCall extends ClientRequest {
  readonly resolve: (answer: ClientAnswer) => void;
  /** Who has it; `null` while it is everybody's. */
  runner: ClientRunner | null;
  /** Its event, once that is in the log. */
  item?: LogItem;
}

/** A call that lay with the client when its turn was interrupted, and that the turn has not come to again. */
interface EarlierCall extends Pick<ClientRequest, 'turnId' | 'toolUseId'> {
  readonly item: LogItem;
  /** What the client has said meanwhile. */
  answer?: ClientAnswer;
}

export class SessionClientCalls implements ClientCalls {
  readonly #open = new Map<string, OpenCall>();
  /** With the number of calls that each has. */
  readonly #runners = new Map<ClientRunner, number>();
  readonly #earlier = new Map<string, EarlierCall>();

  open(request: ClientRequest): OpenClientCall {
    const key = callKey(request.turnId, request.toolUseId);
    const { promise, resolve } = Promise.withResolvers<ClientAnswer>();
    const { item, answer } = this.#earlier.get(key) ?? {};
    this.#earlier.delete(key);
    if (answer !== undefined) return { answer: Promise.resolve(answer), told: true };
    const call: OpenCall = { ...request, resolve, runner: null, ...(item && { item }) };
    this.#open.set(key, call);
    this.#give(call, this.#runnerFor(request.name));
    // No event brings it to who has come since.
    if (item !== undefined) for (const each of call.runner === null ? this.#runners.keys() : [call.runner]) each.wake();
    return { answer: promise, told: item !== undefined };
  }

  withdraw(turnId: string, toolUseId: string): void {
    const key = callKey(turnId, toolUseId);
    const call = this.#open.get(key);
    if (call === undefined) return;
    this.#give(call, null);
    this.#open.delete(key);
  }

  /**
   * @param turnId the turn that is meant, when that is known
   * @returns the turn of the call
   * @throws Problem `call-not-found` when nobody waits for it (any more)
   */
  answer(toolUseId: string, answer: ClientAnswer, turnId?: string): string {
    const call = this.#find(toolUseId, turnId);
    if (!('resolve' in call)) call.answer = answer;
    else {
      this.withdraw(call.turnId, toolUseId);
      call.resolve(answer);
    }
    return call.turnId;
  }

  /** @throws Problem `call-not-found` */
  progress(toolUseId: string, data: unknown): void {
    const call = this.#find(toolUseId);
    if ('resolve' in call) call.onProgress(data);
  }

  /** Events that tell of calls are in the log. */
  told(items: readonly LogItem[]): void {
    for (const item of items) {
      const { turn_id: turnId, tool_use_id: toolUseId } = JSON.parse(item.json) as { turn_id: string; tool_use_id: string };
      const call = this.#open.get(callKey(turnId, toolUseId));
      if (call !== undefined) call.item = item;
    }
  }

  join(runner: ClientRunner): void {
    this.#runners.set(runner, 0);
  }

  /** What it runs has changed: calls that are everybody's become its own. */
  subscribed(runner: ClientRunner): void {
    for (const call of this.#open.values()) {
      if (call.runner === null && runner.tools.has(call.name)) this.#give(call, runner);
    }
    this.#release(runner, ({ name }) => !runner.tools.has(name));
    runner.wake();
  }

  leave(runner: ClientRunner): void {
    this.#release(runner, () => true);
    this.#runners.delete(runner);
  }

  /** Events of the open calls that lie with this socket, or with everybody. */
  *itemsFor(runner: ClientRunner): Iterable<LogItem> {
    for (const { runner: owner, item } of this.#open.values()) {
      if (item !== undefined && (owner === null || owner === runner)) yield item;
    }
  }

  /** True of a call that lies with another socket alone. */
  isForOther(runner: ClientRunner, turnId: string, toolUseId: string): boolean {
    const call = this.#open.get(callKey(turnId, toolUseId));
    return call !== undefined && call.runner !== null && call.runner !== runner;
  }

  /** A turn goes on that was interrupted: its client knows of these calls. */
  restore(turnId: string, calls: Iterable<readonly [toolUseId: string, item: LogItem]>): void {
    for (const [toolUseId, item] of calls) this.#earlier.set(callKey(turnId, toolUseId), { turnId, toolUseId, item });
  }

  /** A turn has ended: nobody waits for calls that it did not come to again. */
  forget(turnId: string): void {
    for (const [key, call] of this.#earlier) if (call.turnId === turnId) this.#earlier.delete(key);
  }

  #find(toolUseId: string, turnId?: string): OpenCall | EarlierCall {
    const waiting = [...[...this.#earlier.values()].filter(({ answer }) => answer === undefined), ...this.#open.values()];
    const found = waiting.findLast((call) => call.toolUseId === toolUseId && (turnId === undefined || call.turnId === turnId));
    if (found !== undefined) return found;
    const id = JSON.stringify(toolUseId.slice(0, 80));
    throw new Problem('call-not-found', `No client call ${id} waits for an answer: it was answered, has ended, or never was.`);
  }

  /** The one with the fewest calls of those that run such tools. */
  #runnerFor(name: string, except?: ClientRunner): ClientRunner | null {
    let best: ClientRunner | null = null;
    let fewest = Infinity;
    for (const [runner, load] of this.#runners) {
      if (runner === except || load >= fewest || !runner.tools.has(name)) continue;
      [best, fewest] = [runner, load];
    }
    return best;
  }

  #give(call: OpenCall, to: ClientRunner | null): void {
    for (const [runner, change] of [
      [call.runner, -1],
      [to, 1],
    ] as const) {
      if (runner !== null) this.#runners.set(runner, (this.#runners.get(runner) ?? 0) + change);
    }
    call.runner = to;
  }

  /** Hands calls of one socket on to others that run such tools, or to all. */
  #release(from: ClientRunner, which: (call: OpenCall) => boolean): void {
    const waking = new Set<ClientRunner>();
    for (const call of this.#open.values()) {
      if (call.runner !== from || !which(call)) continue;
      const next = this.#runnerFor(call.name, from);
      this.#give(call, next);
      for (const runner of next === null ? this.#runners.keys() : [next]) waking.add(runner);
    }
    for (const runner of waking) runner.wake();
  }
}
