// One message on its way: calls are read off the model, given to the service one after another, and what the service
// tells is handed on. When the socket drops the next one first tells what the log has; what is not in it is given again.
import type { ClientWork } from './client-work.ts';
import type { OutgoingMessage, Turn } from './generated.ts';
import { createDelivery } from './message-delivery.ts';
import { messagesOf, MessageTurns, turnOf } from './message-turns.ts';
import { createCallReader, type CallReader, type MessageSource } from './message-source.ts';
import type { SessionPlace } from './resources.ts';
import type { ClientFrame, ToolexecEvent } from './types.ts';
import { deferred } from './wait.ts';
import { sessionFrames } from './watch-session.ts';

export interface StreamOptions {
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

/** Sends nothing but what it is given; stops by itself when the turn has ended. */
export function openMessageStream({ place, work, source, options }: Given): MessageStream {
  const [messages, turn] = [deferred<OutgoingMessage[]>(), deferred<Turn>()];
  const turns = new MessageTurns();
  const events = createEventQueue();
  const over = new AbortController();
  const delivery = createDelivery({ turns, retries: place.transport.retries, signal: over.signal });
  const reader = createCallReader();
  const leave = (): void => fail(options.signal?.reason);
  let failure: unknown;

  const fail = (error: unknown): void => {
    if (over.signal.aborted) return;
    finish();
    for (const each of [messages, turn]) each.reject(error);
    events.end(error);
  };
  const finish = (): void => {
    options.signal?.removeEventListener('abort', leave);
    over.abort();
  };
  const settle = (): void => {
    const ends = delivery.done();
    if (ends === undefined || over.signal.aborted) return;
    const last = turnOf(ends);
    if (failure !== undefined || last === undefined) return fail(failure ?? new Error('The service lost the turn before it began.'));
    finish();
    messages.resolve(messagesOf(ends));
    turn.resolve(last);
    events.end();
  };
  const read = async (): Promise<void> => {
    const frames = sessionFrames({ place, work, options: { signal: over.signal }, onConnection: delivery.connected });
    for await (const frame of frames) {
      delivery.see(frame);
      if (frame.type !== 'session' && frame.type !== 'ack' && frame.type !== 'pong') events.push(frame);
      settle();
    }
  };

  const controls = controlsOf({ delivery, reader, settle });
  options.signal?.addEventListener('abort', leave, { once: true });
  if (options.signal?.aborted === true) leave();
  else {
    read().catch(fail);
    delivery.run().then(settle, (error: unknown) => {
      fail(error);
    });
    if (source !== undefined) {
      give(source, controls, over.signal).catch((error: unknown) => {
        // The model has failed: what it said is no part of the conversation.
        failure = error;
        if (delivery.begun) controls.discard();
        else fail(error);
      });
    }
  }
  return { messages: messages.promise, turn: turn.promise, ...controls, [Symbol.asyncIterator]: () => events.read() };
}

type Controls = Pick<MessageStream, 'send' | 'end' | 'abort' | 'discard'>;

function controlsOf(parts: { delivery: ReturnType<typeof createDelivery>; reader: CallReader; settle: () => void }): Controls {
  const { delivery, reader, settle } = parts;
  const end = (): void => delivery.end(reader.end());
  const abort = (reason?: string): void => {
    delivery.stop({ type: 'abort', ...(reason !== undefined && { reason }) });
    settle();
  };
  const discard = (): void => {
    delivery.stop({ type: 'discard' });
    settle();
  };
  const send = (frame: Readonly<Record<string, unknown>>): void => {
    const { type } = frame;
    if (type === 'end') end();
    else if (type === 'discard') discard();
    else if (type === 'abort') abort(typeof frame['reason'] === 'string' ? frame['reason'] : undefined);
    else if (typeof type === 'string' && ASIDE.has(type)) delivery.aside(frame);
    else delivery.give(reader.push(frame));
  };
  return { send, end, abort, discard };
}

/** Frames that are no part of a message. */
const ASIDE = new Set(['approval', 'client_result', 'client_progress', 'cancel', 'background', 'subscribe', 'ping']);

/** Gives all that comes of the source, until it ends or the message is over: then the source is left. */
async function give(source: MessageSource, { send, end }: Controls, over: AbortSignal): Promise<void> {
  for await (const event of await source) {
    if (over.aborted) return;
    send(event as Readonly<Record<string, unknown>>);
  }
  end();
}

/** Pieces of progress that wait for a reader. Events wait all: a turn has no more than its calls make. */
const WAITING_PROGRESS = 1_000;

function createEventQueue() {
  const waiting: ToolexecEvent[] = [];
  let wake = deferred<void>();
  let ended: { readonly error?: unknown } | undefined;
  async function* read(): AsyncGenerator<ToolexecEvent> {
    for (;;) {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
      if (ended !== undefined) {
        if (ended.error !== undefined) throw ended.error;
        return;
      }
      await wake.promise;
      wake = deferred();
    }
  }
  return {
    read,
    push: (event: ToolexecEvent): void => {
      if (event.type === 'progress' && waiting.length >= WAITING_PROGRESS) return;
      waiting.push(event);
      wake.resolve();
    },
    end: (error?: unknown): void => {
      ended ??= { error };
      wake.resolve();
    },
  };
}
