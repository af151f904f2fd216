// An agent that belongs to its call until somebody wants it in the background. From then on it is a task of the session: what
// stops the call does not stop the agent any more, and nobody is asked for it.
import {
  livePieces,
  messageOf,
  whenFired,
  type AgentAnswer,
  type AgentOrder,
  type AgentProgress,
  type CallContext,
} from '../../src/contract/index.ts';
import { AgentLog } from './agent-log.ts';
import { endOf, nobody, orderOf } from './background.ts';
import type { AgentInput } from './input.ts';

/** Pieces of progress that wait for their reader. */
const MAX_WAITING = 1_000;

export type AgentOutcome = { readonly kind: 'ended'; readonly answer: AgentAnswer } | { readonly kind: 'moved'; readonly taskId: string };

export class MovableAgent {
  /** Why it could not be moved when somebody wanted that. */
  readonly notes: string[] = [];
  readonly #description: string;
  readonly #context: CallContext;
  readonly #live = livePieces<AgentProgress>(MAX_WAITING);
  readonly #log = new AgentLog();
  readonly #stop = new AbortController();
  readonly #running: Promise<AgentAnswer>;
  /** Fires when the call is nothing to it any more. */
  readonly #free = new AbortController();
  #ended = false;
  #taskId: string | undefined;

  /** It begins at once. */
  constructor(input: AgentInput, context: CallContext) {
    this.#description = input.description;
    this.#context = context;
    const { signal } = context;
    whenFired(signal, () => this.#stop.abort(signal.reason), this.#free.signal);
    this.#running = this.#run(input);
    this.#running.catch(() => {
      // Awaited by the call or the task; until then an error must not count as one that nobody handles.
    });
    whenFired(context.backgroundRequest(), () => this.#move(), this.#free.signal);
  }

  async #run(input: AgentInput): Promise<AgentAnswer> {
    try {
      return await this.#context.agents.run({
        ...orderOf(input, this.#context),
        signal: this.#stop.signal,
        people: { approve: (question) => this.#people.approve(question) },
        onProgress: (data) => {
          this.#log.note(data);
          this.#live.push(data);
        },
      });
    } finally {
      this.#ended = true;
      this.#live.end();
    }
  }

  get #people(): AgentOrder['people'] {
    if (this.#taskId !== undefined) return nobody('in the background');
    // Whatever mode an agent of this type is in: this session asks nobody.
    return this.#context.state.mode === 'dontAsk' ? nobody('in the mode dontAsk') : this.#context.people;
  }

  #move(): void {
    if (this.#ended || this.#context.signal.aborted) return;
    try {
      const task = this.#context.tasks.start({
        kind: 'agent',
        description: this.#description,
        run: (place) => {
          whenFired(place.signal, () => this.#stop.abort(place.signal.reason));
          return endOf(this.#running, place, this.#log);
        },
      });
      this.#taskId = task.id;
    } catch (error) {
      this.notes.push(`It was asked to go on in the background, and could not: ${messageOf(error)}`);
      return;
    }
    this.#free.abort();
    this.#live.end();
  }

  /** What it does, until it has ended or was moved. One reader. */
  pieces(): AsyncGenerator<AgentProgress, void, void> {
    return this.#live.pieces();
  }

  /** @throws whatever the agent fails with */
  async outcome(): Promise<AgentOutcome> {
    return this.#taskId === undefined ? { kind: 'ended', answer: await this.#running } : { kind: 'moved', taskId: this.#taskId };
  }

  /** Stops it unless it was moved, and resolves when it has ended. */
  async leave(): Promise<void> {
    this.#free.abort();
    if (this.#taskId !== undefined) return;
    this.#stop.abort(this.#context.signal.reason);
    await Promise.allSettled([this.#running]);
  }
}
