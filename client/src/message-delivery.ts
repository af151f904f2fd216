// Gives the calls of a message to the service, over one socket after another. One frame at a time: the next goes when the
// service has taken the one before, so that a call that has to be sent again never comes after a later one.
import type { Connection, ServerFrame } from './connection.ts';
import type { MessageTurns } from './message-turns.ts';
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

export function createDelivery({ turns, retries, signal }: { turns: MessageTurns; retries: number; signal: AbortSignal }) {
  const calls: SourceCall[] = [];
  const attempted = new Set<SourceCall>();
  const asides: Frame[] = [];
  /** Names the message in its format, for the service to know it again. */
  const messageId = `toolexec-${newKey()}`;
  let ended = false;
  /** Of the last event that came; unknown before the first socket. */
  let seq: number | undefined;
  let stop: Stop | undefined;
  let link: Link | null = null;
  let pulse = deferred<void>();
  let refs = 0;

  const changed = (): void => {
    pulse.resolve();
    pulse = deferred();
  };
  const connected = (connection: Connection | null): void => {
    link?.asked?.answer.resolve('dropped');
    link = connection && { connection, target: undefined, caughtUp: false, sent: new Set(), asked: undefined };
    changed();
  };
  const see = (frame: ServerFrame): void => {
    turns.see(frame);
    if ('seq' in frame) seq = frame.seq;
    if (link === null) return;
    if (frame.type === 'session') {
      link.target = frame.session.last_seq;
      // The first socket tells nothing of what was before.
      seq = Math.min(seq ?? Infinity, link.target);
    } else if (frame.type === 'gap') seq = frame.to;
    if ((frame.type === 'ack' || frame.type === 'error') && link.asked !== undefined && frame.ref === link.asked.ref) {
      link.asked.answer.resolve(frame.type === 'ack' ? 'taken' : new ToolexecProblem(frame.problem));
    }
    link.caughtUp ||= link.target !== undefined && (seq ?? 0) >= link.target;
    changed();
  };

  const ask = async (over: Link, frame: Frame): Promise<Answer> => {
    for (let attempt = 0; ; attempt += 1) {
      refs += 1;
      const asked = { ref: `${messageId}.${refs}`, answer: deferred<Answer>() };
      over.asked = asked;
      over.connection.send({ ...frame, ref: asked.ref });
      const answer = link === over ? await asked.answer.promise : 'dropped';
      if (typeof answer === 'string' || !LATER.has(answer.slug) || attempt >= retries) return answer;
      await sleep(backoffMs(attempt), signal);
    }
  };

  const giveCall = async (over: Link, call: SourceCall): Promise<void> => {
    const again = attempted.has(call);
    attempted.add(call);
    over.sent.add(call);
    const answer = await ask(over, call.frame);
    if (!(answer instanceof ToolexecProblem)) return;
    // The service has it, from before.
    const known = answer.slug === 'duplicate-tool-use-id' || (again && answer.slug === 'tool-use-id-reused');
    if (!known) throw answer;
  };

  /** The next thing to do over this socket, or `null` when there is nothing. */
  const nextStep = (over: Link): (() => Promise<unknown>) | null => {
    if (!over.caughtUp) return null;
    const aside = asides.shift();
    if (aside !== undefined) return () => ask(over, aside).then((answer) => answer === 'dropped' && asides.unshift(aside));
    const waiting = stop === undefined ? calls.filter((call) => !turns.isTaken(call.id)) : [];
    const finished = (ended || stop !== undefined) && waiting.length === 0 && calls.every(({ id }) => turns.isTaken(id));
    const opener = openerFor(calls[0]?.format, messageId);
    const begun = waiting.length > 0 || attempted.size > 0;
    if (opener !== null && begun && !finished && !over.sent.has('opener')) return () => sendOnce(over, 'opener', opener);
    const call = waiting.find((each) => !over.sent.has(each));
    if (call !== undefined) return () => giveCall(over, call);
    if (over.sent.has('end') || (!ended && stop === undefined)) return null;
    return () => sendOnce(over, 'end', endFrame());
  };
  const sendOnce = async (over: Link, what: 'opener' | 'end', frame: Frame): Promise<void> => {
    over.sent.add(what);
    const answer = await ask(over, frame);
    // That there is nothing left to end is as good.
    if (frame === EMPTY && answer instanceof ToolexecProblem) throw answer;
  };
  const endFrame = (): Frame => {
    if (attempted.size === 0) return EMPTY;
    const turnId = turns.openTurn;
    return { ...(stop ?? { type: 'end' }), ...(turnId !== undefined && { turn_id: turnId }) };
  };

  return {
    connected,
    see,
    /** True once a call has been sent. */
    get begun(): boolean {
      return attempted.size > 0;
    },
    give: (more: readonly SourceCall[]): void => {
      if (ended || stop !== undefined) return;
      for (const call of more) turns.give(call.id);
      calls.push(...more);
      changed();
    },
    end: (last: readonly SourceCall[]): void => {
      if (ended || stop !== undefined) return;
      for (const call of last) turns.give(call.id);
      calls.push(...last);
      ended = true;
      changed();
    },
    /** A frame beside the message. */
    aside: (frame: Frame): void => {
      asides.push(frame);
      changed();
    },
    stop: (frame: Stop): void => {
      if (stop?.type === 'discard') return;
      stop = frame;
      link?.sent.delete('end');
      changed();
    },
    /** The ends of the message's turns, once there is nothing more to come. */
    done: () => (ended || stop !== undefined ? turns.ends(stop !== undefined) : undefined),
    /** Works until the signal fires. @throws ToolexecProblem for a call that the service does not take */
    run: async (): Promise<void> => {
      signal.addEventListener('abort', changed, { once: true });
      while (!signal.aborted) {
        const step = link === null ? null : nextStep(link);
        if (step === null) await pulse.promise;
        else await step();
      }
    },
  };
}

/**
 * What goes first over a socket: it takes over the input of a socket that has dropped, or opens a turn in its format. Chat has no event
 * that holds a whole call, so its calls go into a turn that is open already; the service knows a message by its id, and opens it once.
 */
function openerFor(format: MessageFormat | undefined, id: string): Frame | null {
  if (format === 'openai_chat') return { object: 'chat.completion.chunk', id, choices: [{ index: 0, delta: { role: 'assistant' } }] };
  if (format === 'openai_responses') return { type: 'response.in_progress' };
  return format === 'anthropic' ? { type: 'message_delta' } : null;
}
