// One message on its way: calls are read off the model, given to the service one after another, and what the service
// tells is handed on. When the socket drops the next one first tells what the log has; what is not in it is given again.
import type { ClientWork } from './client-work.ts';
import type { Connection } from './connection.ts';
import { createEventQueue } from './event-queue.ts';
import type { OutgoingMessage, Turn } from './generated.ts';
import { MessageDelivery } from './message-delivery.ts';
import { messagesOf, MessageTurns, turnOf } from './message-turns.ts';
import { createCallReader, type CallReader, type MessageSource } from './message-source.ts';
import type { SessionPlace } from './resources.ts';
import type { ClientFrame, MessageFormat, ToolexecEvent } from './types.ts';
import { deferred } from './wait.ts';
import { sessionFrames } from './watch-session.ts';

export interface StreamOptions {
  /** How results are to come back when plain `tool_use` blocks are given; that of a model's events is recognised. */
  readonly format?: MessageFormat;
  /** Gives up waiting; the turn goes on. `abort()` stops it. */
  readonly signal?: AbortSignal;
}

/** What the session tells while the message runs, to be read once or not at all; leaving the loop stops nothing. */
export interface MessageStream<Message = OutgoingMessage> extends AsyncIterable<ToolexecEvent> {
  /** What to append to the conversation. Rejects with what the source throws, whose results are then dropped, or a ToolexecProblem. */
  readonly messages: Promise<Message[]>;
  /** The turn when it has ended. */
  readonly turn: Promise<Turn>;
  /** Gives one more frame: a call, an event of a model, an answer. */
  readonly send: (frame: ClientFrame | Readonly<Record<string, unknown>>) => void;
  /** No more calls come. Understood by itself at the end of a source. */
  readonly end: () => void;
  /** Kills what runs; each unfinished call gets an error result. */
  readonly abort: (reason?: string) => void;
  /** Drops the turn with its results: `messages` is then empty. */
  readonly discard: () => void;
}

interface Given {
  readonly place: SessionPlace;
  readonly work: ClientWork;
  readonly source: MessageSource | undefined;
  readonly options: StreamOptions;
}

/** Stops by itself when the turn has ended. */
export function openMessageStream({ place, work, source, options }: Given): MessageStream {
  const [messages, turn] = [deferred<OutgoingMessage[]>(), deferred<Turn>()];
  // A turn has no more events than its calls make.
  const events = createEventQueue<ToolexecEvent>();
  const over = new AbortController();
  const delivery = new MessageDelivery({
    turns: new MessageTurns(),
    retries: place.transport.retries,
    signal: over.signal,
    refused: (problem) => drop(problem),
    failed: (problem) => fail(failure ?? problem),
  });
  const controls = controlsOf(delivery, createCallReader(options.format));
  const leave = (): void => fail(options.signal?.reason);
  let failure: unknown;

  /** @returns false when it was over already */
  const finish = (): boolean => {
    if (over.signal.aborted) return false;
    options.signal?.removeEventListener('abort', leave);
    over.abort();
    return true;
  };
  const fail = (error: unknown): void => {
    if (!finish()) return;
    for (const each of [messages, turn]) each.reject(error);
    events.end(error);
  };
  const settle = (): void => {
    const { ends } = delivery;
    const last = ends && turnOf(ends);
    if (ends === undefined || last === undefined) return;
    if (failure !== undefined) fail(failure);
    else if (finish()) {
      messages.resolve(messagesOf(ends));
      turn.resolve(last);
      events.end();
    }
  };
  const read = async (): Promise<void> => {
    const onConnection = (connection: Connection | null): void => delivery.connected(connection);
    for await (const frame of sessionFrames({ place, work, options: { signal: over.signal }, onConnection })) {
      delivery.see(frame);
      if (frame.type !== 'session' && frame.type !== 'ack' && frame.type !== 'pong') events.push(frame);
      settle();
    }
  };
  /** What a model says that fails is no part of the conversation. */
  const drop = (error: unknown): void => {
    failure ??= error;
    if (delivery.begun) controls.discard();
    else fail(error);
  };

  options.signal?.addEventListener('abort', leave, { once: true });
  if (options.signal?.aborted === true) leave();
  else {
    read().catch(fail);
    delivery.run().catch(fail);
    if (source !== undefined) give(source, controls, over.signal).catch(drop);
  }
  return { messages: messages.promise, turn: turn.promise, ...controls, [Symbol.asyncIterator]: () => events.read() };
}

type Controls = Pick<MessageStream, 'send' | 'end' | 'abort' | 'discard'>;

function controlsOf(delivery: MessageDelivery, reader: CallReader): Controls {
  const end = (): void => {
    delivery.give(reader.end());
    delivery.end();
  };
  const abort = (reason?: string): void => delivery.stop({ type: 'abort', ...(reason !== undefined && { reason }) });
  const discard = (): void => delivery.stop({ type: 'discard' });
  const send = (frame: Readonly<Record<string, unknown>>): void => {
    const { type, reason } = frame;
    if (type === 'end') end();
    else if (type === 'discard') discard();
    else if (type === 'abort') abort(typeof reason === 'string' ? reason : undefined);
    else if (typeof type === 'string' && ASIDE.has(type)) delivery.aside(frame);
    else delivery.give(reader.push(frame));
  };
  return { send, end, abort, discard };
}

/** Frames that are no part of a message. `ping` may be of a model, too: the socket has its own. */
const ASIDE = new Set(['approval', 'client_result', 'client_progress', 'cancel', 'background', 'subscribe']);

/** Gives all that comes of the source, until it ends or the message is over: then the source is left. */
async function give(source: MessageSource, { send, end }: Controls, over: AbortSignal): Promise<void> {
  for await (const event of await source) {
    if (over.aborted) return;
    send(event as Readonly<Record<string, unknown>>);
  }
  end();
}
