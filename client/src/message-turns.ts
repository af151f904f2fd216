// Which turns of a session are those of one message, and what came of its calls. Mostly it is one turn; a message whose
// input was lost in the middle goes on in a second one.
import type { ServerFrame } from './connection.ts';
import type { OpenTurn, OutgoingMessage, Turn, TurnCompletedEvent, TurnDiscardedEvent } from './generated.ts';

/** The last event of a turn. */
export type TurnEnd = TurnCompletedEvent | TurnDiscardedEvent;

export class MessageTurns {
  /** Ids of the calls that were given to the service. */
  readonly #given = new Set<string>();
  /** Turns that there were before. */
  #before: ReadonlySet<string> | undefined;
  /** `null` until it has ended. */
  readonly #ours = new Map<string, TurnEnd | null>();
  readonly #taken = new Set<string>();
  /** Of a turn without calls, which cannot be told from others before. */
  #empty: TurnEnd | undefined;

  /** The call is, or will be, on its way. */
  give(callId: string): void {
    this.#given.add(callId);
  }

  /** True for a call that the service will not forget any more. */
  isTaken(callId: string): boolean {
    return this.#taken.has(callId);
  }

  /** Id of the newest turn of the message that has not ended. */
  get openTurn(): string | undefined {
    return [...this.#ours].findLast(([, end]) => end === null)?.[0];
  }

  see(frame: ServerFrame): void {
    if (frame.type === 'session') this.#seeSession(frame.open_turns);
    else if (frame.type === 'call_queued') this.#seeCall(frame.turn_id, frame.tool_use_id);
    else if (frame.type === 'turn_completed' || frame.type === 'turn_discarded') this.#seeEnd(frame);
  }

  #seeSession(open: readonly OpenTurn[]): void {
    this.#before ??= new Set(open.map(({ id }) => id));
    for (const { id, calls } of open) for (const { tool_use_id } of calls) this.#seeCall(id, tool_use_id);
  }

  #seeCall(turnId: string | undefined, callId: string): void {
    if (turnId === undefined || this.#before?.has(turnId) !== false || !this.#given.has(callId)) return;
    this.#taken.add(callId);
    if (!this.#ours.has(turnId)) this.#ours.set(turnId, null);
  }

  #seeEnd(event: TurnEnd): void {
    const { id, calls } = event.turn;
    if (this.#before?.has(id) !== false) return;
    for (const { tool_use_id } of calls) this.#seeCall(id, tool_use_id);
    if (this.#ours.has(id)) this.#ours.set(id, event);
    else if (calls.length === 0) this.#empty = event;
  }

  /** @param stopped the message was aborted or discarded: what was not taken is not waited for. @returns the ends of its turns, once all have ended */
  ends(stopped: boolean): readonly TurnEnd[] | undefined {
    const ends = [...this.#ours.values()].filter((end) => end !== null);
    if (ends.length < this.#ours.size) return undefined;
    const waited = stopped ? this.#taken : this.#given;
    if (waited.size === 0) return this.#empty && [this.#empty];
    const done = new Set(ends.flatMap(({ turn }) => turn.calls.map(({ tool_use_id }) => tool_use_id)));
    return [...waited].every((id) => done.has(id)) ? ends : undefined;
  }
}

/** What to append to the conversation. Results in the Anthropic format stand in one message, as its API wants them. */
export function messagesOf(ends: readonly TurnEnd[]): OutgoingMessage[] {
  const messages = ends.flatMap((end) => (end.type === 'turn_completed' ? end.messages : []));
  if (ends.length < 2 || !messages.every(isResults)) return messages;
  return [{ role: 'user', content: messages.flatMap(({ content }) => content) }];
}

type Results = Extract<OutgoingMessage, { role: 'user'; content: { type: 'tool_result' }[] }>;

function isResults(message: OutgoingMessage): message is Results {
  return 'role' in message && message.role === 'user' && message.content.every(({ type }) => type === 'tool_result');
}

/** The last turn, with the calls of those before it. */
export function turnOf(ends: readonly TurnEnd[]): Turn | undefined {
  const last = ends.at(-1)?.turn;
  return last && ends.length > 1 ? { ...last, calls: ends.flatMap(({ turn }) => turn.calls) } : last;
}
