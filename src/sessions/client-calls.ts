// Calls that lie with the session's client: each goes to one socket that runs such tools, or to all while none does. The
// first answer counts.
import { Problem, type ClientAnswer, type ClientCalls, type ClientRequest, type OpenClientCall } from '../contract/index.ts';

/** A socket that may run calls. */
export interface ClientRunner {
  /** Names of the tools that it runs. */
  readonly tools: ReadonlySet<string>;
  /** A call may concern it now that did not before. */
  wake(): void;
}

interface OpenCall extends ClientRequest {
  readonly resolve: (answer: ClientAnswer) => void;
  /** Who has it; `null` while it is everybody's. */
  runner: ClientRunner | null;
}

export class SessionClientCalls implements ClientCalls {
  readonly #open = new Map<string, OpenCall>();
  readonly #runners = new Set<ClientRunner>();
  /** Calls of turns that were interrupted while they lay with the client. */
  readonly #earlier = new Set<string>();

  open(request: ClientRequest): OpenClientCall {
    const key = keyOf(request.turnId, request.toolUseId);
    const { promise, resolve } = Promise.withResolvers<ClientAnswer>();
    const runner = this.#runnerFor(request.name);
    this.#open.set(key, { ...request, resolve, runner });
    const told = this.#earlier.delete(key);
    // No event brings it to who has come since.
    if (told) for (const each of runner === null ? this.#runners : [runner]) each.wake();
    return { answer: promise, told };
  }

  withdraw(turnId: string, toolUseId: string): void {
    this.#open.delete(keyOf(turnId, toolUseId));
  }

  /** @param turnId the turn that is meant, when that is known. @throws Problem `call-not-found` */
  find(toolUseId: string, turnId?: string): { readonly turnId: string } {
    return this.#find(toolUseId, turnId);
  }

  /** @throws Problem `call-not-found` when nobody waits for it (any more) */
  answer(toolUseId: string, answer: ClientAnswer, turnId?: string): void {
    const call = this.#find(toolUseId, turnId);
    this.withdraw(call.turnId, toolUseId);
    call.resolve(answer);
  }

  /** @throws Problem `call-not-found` */
  progress(toolUseId: string, data: unknown): void {
    this.#find(toolUseId).onProgress(data);
  }

  join(runner: ClientRunner): void {
    this.#runners.add(runner);
  }

  /** What it runs has changed: calls that are everybody's become its own. */
  subscribed(runner: ClientRunner): void {
    for (const call of this.#open.values()) if (call.runner === null && runner.tools.has(call.name)) call.runner = runner;
    this.#release(runner, ({ name }) => !runner.tools.has(name));
    runner.wake();
  }

  leave(runner: ClientRunner): void {
    this.#runners.delete(runner);
    this.#release(runner, () => true);
  }

  /** True of a call that lies with this socket, or with everybody. */
  isFor(runner: ClientRunner, turnId: string, toolUseId: string): boolean {
    const call = this.#open.get(keyOf(turnId, toolUseId));
    return call !== undefined && (call.runner === null || call.runner === runner);
  }

  /** True of a call that lies with another socket alone. */
  isForOther(runner: ClientRunner, turnId: string, toolUseId: string): boolean {
    const call = this.#open.get(keyOf(turnId, toolUseId));
    return call !== undefined && call.runner !== null && call.runner !== runner;
  }

  /** Turns with calls that lie with the client. */
  get turnIds(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ turnId }) => turnId));
  }

  /** Forgets what is open: it is in the log, and goes on from there. */
  suspend(): void {
    this.#open.clear();
  }

  /** A turn goes on that was interrupted: its client knows of these calls. */
  restore(turnId: string, toolUseIds: Iterable<string>): void {
    for (const id of toolUseIds) this.#earlier.add(keyOf(turnId, id));
  }

  #find(toolUseId: string, turnId?: string): OpenCall {
    const found = [...this.#open.values()].findLast((call) => call.toolUseId === toolUseId && (turnId ?? call.turnId) === call.turnId);
    if (found !== undefined) return found;
    const id = JSON.stringify(toolUseId.slice(0, 80));
    throw new Problem('call-not-found', `No client call ${id} waits for an answer: it was answered, has ended, or never was.`);
  }

  #runnerFor(name: string): ClientRunner | null {
    const able = [...this.#runners].filter(({ tools }) => tools.has(name));
    const load = (runner: ClientRunner): number => [...this.#open.values()].filter((call) => call.runner === runner).length;
    return able.toSorted((left, right) => load(left) - load(right))[0] ?? null;
  }

  /** Hands calls of one socket on to another that runs such tools, or to all. */
  #release(from: ClientRunner, which: (call: OpenCall) => boolean): void {
    const calls = [...this.#open.values()].filter((call) => call.runner === from && which(call));
    for (const call of calls) call.runner = this.#runnerFor(call.name);
    if (calls.length > 0) for (const runner of this.#runners) runner.wake();
  }
}

function keyOf(turnId: string, toolUseId: string): string {
  return JSON.stringify([turnId, toolUseId]);
}
