// A whole message, posted until its turn has ended. Whoever wants to see events, or answers what is asked, reads the turn
// as it runs; a connection that breaks is replaced by the same request again, which joins the turn.
import type { ClientWork } from './client-work.ts';
import { resumedEvents } from './event-reader.ts';
import type { MessageReply, OutgoingMessage } from './generated.ts';
import { keyedPost, sendJson, type RequestOptions } from './request.ts';
import type { SessionPlace, turnsOf } from './resources.ts';
import type { MessageFormat, ToolexecEvent } from './types.ts';

export interface RunOptions {
  /** Recognised from the shape when absent. */
  readonly format?: MessageFormat;
  /** Names the message: the same key runs it once. Made up when absent. */
  readonly idempotencyKey?: string;
  /** Gives up waiting; the turn goes on. */
  readonly signal?: AbortSignal;
  /** False: answered as soon as the service has taken the message. Its turn goes on, for `turns.get` or `watch` to look at. */
  readonly wait?: boolean;
  /** Is told what happens in the turn, if that is waited for. */
  readonly onEvent?: (event: ToolexecEvent) => void;
}

/** `messages` is what to append to the conversation. `pending` is there when something waits for which nobody here answers. */
export type RunReply<Message = OutgoingMessage> = Omit<MessageReply, 'messages'> & { messages: Message[] };

interface Run {
  readonly place: SessionPlace;
  readonly turns: ReturnType<typeof turnsOf>;
  readonly work: ClientWork;
  readonly message: object;
  readonly options: RunOptions;
}

/** @throws ToolexecProblem */
export async function runMessage(run: Run): Promise<RunReply> {
  const { place, work, message, options } = run;
  const { format, idempotencyKey, signal, wait = true } = options;
  const request = keyedPost({
    path: `${place.path}/messages`,
    query: { format },
    headers: { prefer: wait ? undefined : 'respond-async' },
    json: message,
    idempotencyKey,
    signal,
  });
  if (!wait || (options.onEvent === undefined && !work.answers)) return sendJson(place.transport, request);
  return followTurn(run, request);
}

const SECONDS = 30;

/** Reads the turn as it runs. As soon as something waits for somebody else, it is asked beside that how the turn stands. */
async function followTurn({ place, turns, work, options }: Run, request: RequestOptions): Promise<RunReply> {
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  const stands: { asked?: Promise<RunReply> } = {};
  const follow = async (): Promise<RunReply> => {
    const stream = { transport: place.transport, request: () => request, after: 0, ended: isEnd, signal };
    for await (const event of resumedEvents(stream)) {
      const { turn_id: turnId } = event as { turn_id?: string };
      if (!work.see(event) && turnId !== undefined && stands.asked === undefined) {
        stands.asked = needed(turnId).finally(() => left.abort());
        stands.asked.catch(() => {
          // Told below, unless the turn has ended first.
        });
      }
      options.onEvent?.(event);
      if (event.type === 'turn_completed') return { messages: event.messages, turn: event.turn };
      if (event.type === 'turn_discarded') return { messages: [], turn: event.turn };
    }
    options.signal?.throwIfAborted();
    return stands.asked ?? Promise.reject(new TypeError('The service ended the events of a turn before the turn.'));
  };
  /** Resolves when nothing but somebody's answer is missing, or the turn has ended. */
  const needed = async (turnId: string): Promise<RunReply> => {
    let reply = await turns.get(turnId, { signal });
    while (!SETTLED.has(reply.turn.status)) reply = await turns.get(turnId, { wait: SECONDS, signal });
    return reply;
  };
  try {
    return await follow();
  } finally {
    left.abort();
  }
}

const SETTLED = new Set(['requires_action', 'completed', 'aborted', 'discarded']);

function isEnd(event: ToolexecEvent | undefined): boolean {
  return event?.type === 'turn_completed' || event?.type === 'turn_discarded';
}
