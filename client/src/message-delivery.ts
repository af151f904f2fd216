// Gives the calls of a message to the service, over one socket after another. One frame at a time: the next goes when the
// service has taken the one before, so that a call that has to be sent again never comes after a later one.
import type { Connection, ServerFrame } from './connection.ts';
import type { MessageTurns, TurnEnd } from './message-turns.ts';
import type { SourceCall } from './message-source.ts';
import { ToolexecProblem } from './problem.ts';
import { newKey } from './request.ts';
import type { MessageFormat } from './types.ts';
import { backoffMs, deferred, sleep, type Deferred } from './wait.ts';

type Frame = Readonly<Record<string, unknown>>;
type Stop = Frame & { readonly type: 'abort' | 'discard' };
/** What becomes of a frame. */
type Answer = 'taken' | 'dropped' | ToolexecProblem;

/** A socket, and what went over it. */
interface Link {
  readonly connection: Connection;
  /** `seq` up to which the log has to be read before anything is sent; unknown before the first frame. */
  target: number | undefined;
  caughtUp: boolean;
  readonly sent: Set<SourceCall | 'opener' | 'end'>;
  asked: { readonly ref: string; readonly answer: Deferred<Answer> } | undefined;
}

/** The service took nothing, and will later. */
const LATER = new Set(['draining', 'store-unavailable', 'overloaded', 'turn-queue-full', 'session-elsewhere', 'too-many-requests']);
/** A message without calls: one turn. */
const EMPTY: Frame = { type: 'message', format: 'anthropic', message: { role: 'assistant', content: [] } };

interface Given {
  readonly turns: MessageTurns;
  readonly retries: number;
  /** Ends the delivery. */
  readonly signal: AbortSignal;
  /** The service does not take a call: what becomes of the message is for others to say. */
  readonly refused: (problem: ToolexecProblem) => void;
  /** There is no turn, and there will be none. */
  readonly failed: (problem: ToolexecProblem) => void;
}

export class MessageDelivery {
  readonly #given: Given;
  readonly #calls: SourceCall[] = [];
  /** Calls that were sent, whether or not they arrived. */
  readonly #attempted = new Set<SourceCall>();
  readonly #asides: Frame[] = [];
  /** Names the message in its format, for the service to know it again. */
  readonly #id = `toolexec-${newKey()}`;
  #refs = 0;
  #ended = false;
  #stop: Stop | undefined;
  #link: Link | null = null;
  /** Of the last event that came; unknown before the first socket. */
  #seq: number | undefined;
  #pulse = deferred<void>();

  constructor(given: Given) {
    this.#given = given;
  }

  /** True once a call has been sent. */
  get begun(): boolean {
    return this.#attempted.size > 0;
  }

  /** The ends of the message's turns, once there is nothing more to come. */
  get ends(): readonly TurnEnd[] | undefined {
    const stopped = this.#stop !== undefined;
    return this.#ended || stopped ? this.#given.turns.ends(stopped) : undefined;
  }

  give(calls: readonly SourceCall[]): void {
    if (this.#ended || this.#stop !== undefined) return;
    for (const call of calls) this.#given.turns.give(call.id);
    this.#calls.push(...calls);
    this.#changed();
  }

  end(): void {
    this.#ended = true;
    this.#changed();
  }

  /** A frame beside the message. */
  aside(frame: Frame): void {
    this.#asides.push(frame);
    this.#changed();
  }

  stop(frame: Stop): void {
    if (this.#stop?.type === 'discard') return;
    this.#stop = frame;
    this.#link?.sent.delete('end');
    this.#changed();
  }

  /** There is a socket, or none any more. */
  connected(connection: Connection | null): void {
    this.#link?.asked?.answer.resolve('dropped');
    this.#link = connection && { connection, target: undefined, caughtUp: false, sent: new Set(), asked: undefined };
    this.#changed();
  }

  see(frame: ServerFrame): void {
    this.#given.turns.see(frame);
    if ('seq' in frame) this.#seq = frame.seq;
    const link = this.#link;
    if (link === null) return;
    if (frame.type === 'session') {
      link.target = frame.session.last_seq;
      // The first socket tells nothing of what was before.
      this.#seq = Math.min(this.#seq ?? Infinity, link.target);
    } else if (frame.type === 'gap') this.#seq = frame.to;
    if ((frame.type === 'ack' || frame.type === 'error') && link.asked !== undefined && frame.ref === link.asked.ref) {
      link.asked.answer.resolve(frame.type === 'ack' ? 'taken' : new ToolexecProblem(frame.problem));
    }
    link.caughtUp ||= link.target !== undefined && (this.#seq ?? 0) >= link.target;
    this.#changed();
  }

  /** Works until the signal fires. */
  async run(): Promise<void> {
    const { signal } = this.#given;
    signal.addEventListener('abort', () => this.#changed(), { once: true });
    while (!signal.aborted) {
      const step = this.#link === null ? null : this.#nextStep(this.#link);
      if (step === null) await this.#pulse.promise;
      else await step();
    }
  }

  #changed(): void {
    this.#pulse.resolve();
    this.#pulse = deferred();
  }

  /** The next thing to do over this socket, or `null` when there is nothing. */
  #nextStep(link: Link): (() => Promise<void>) | null {
    if (!link.caughtUp) return null;
    const aside = this.#asides[0];
    if (aside !== undefined) return () => this.#sendAside(link, aside);
    const lost = this.#calls.filter(({ id }) => !this.#given.turns.isTaken(id));
    const opener = link.sent.size === 0 ? this.#opener(lost.length > 0) : null;
    if (opener !== null) return () => this.#sendOnce(link, 'opener', opener);
    const next = this.#stop === undefined ? lost.find((call) => !link.sent.has(call)) : undefined;
    if (next !== undefined) return () => this.#sendCall(link, next);
    const over = this.#ended || this.#stop !== undefined;
    return over && !link.sent.has('end') ? () => this.#sendOnce(link, 'end', this.#endFrame()) : null;
  }

  async #sendAside(link: Link, aside: Frame): Promise<void> {
    // A problem is told to whoever reads the events.
    if ((await this.#ask(link, aside)) !== 'dropped') this.#asides.shift();
  }

  async #sendCall(link: Link, call: SourceCall): Promise<void> {
    const again = this.#attempted.has(call);
    this.#attempted.add(call);
    link.sent.add(call);
    const answer = await this.#ask(link, call.frame);
    if (!(answer instanceof ToolexecProblem)) return;
    // The service has it, from before.
    const known = answer.slug === 'duplicate-tool-use-id' || (again && answer.slug === 'tool-use-id-reused');
    if (!known) this.#given.refused(answer);
  }

  async #sendOnce(link: Link, what: 'opener' | 'end', frame: Frame): Promise<void> {
    link.sent.add(what);
    const answer = await this.#ask(link, frame);
    if (what === 'opener' || !(answer instanceof ToolexecProblem)) return;
    // That there is nothing left to end is as good, where there was something.
    const none = this.#stop !== undefined && this.#given.turns.openTurn === undefined && this.ends === undefined;
    if (frame === EMPTY || none) this.#given.failed(answer);
  }

  /** What has to go first over a socket, if anything. */
  #opener(lost: boolean): Frame | null {
    const format = this.#calls[0]?.format;
    const due = this.begun ? lost || !this.#ended : lost && format === 'openai_chat';
    return due && this.#stop === undefined ? openerFor(format, this.#id) : null;
  }

  #endFrame(): Frame {
    if (!this.begun) return EMPTY;
    const turnId = this.#given.turns.openTurn;
    return { ...(this.#stop ?? { type: 'end' }), ...(turnId !== undefined && { turn_id: turnId }) };
  }

  async #ask(link: Link, frame: Frame): Promise<Answer> {
    const { retries, signal } = this.#given;
    for (let attempt = 0; ; attempt += 1) {
      if (this.#link !== link) return 'dropped';
      this.#refs += 1;
      link.asked = { ref: `${this.#id}.${this.#refs}`, answer: deferred<Answer>() };
      link.connection.send({ ...frame, ref: link.asked.ref });
      const answer = await link.asked.answer.promise;
      if (typeof answer === 'string' || !LATER.has(answer.slug) || attempt >= retries) return answer;
      await sleep(backoffMs(attempt), signal);
    }
  }
}

/**
 * What goes first over a socket: it takes over the input of a socket that has dropped. Chat has no event that holds a whole call, so its
 * calls go into a turn that is open already: there it opens the turn, too, which the service does once for an id.
 */
function openerFor(format: MessageFormat | undefined, id: string): Frame | null {
  if (format === 'openai_chat') return { object: 'chat.completion.chunk', id, choices: [{ index: 0, delta: { role: 'assistant' } }] };
  if (format === 'openai_responses') return { type: 'response.in_progress' };
  return format === 'anthropic' ? { type: 'message_delta' } : null;
}
