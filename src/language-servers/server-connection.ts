// One conversation with a server that runs. It ends once, for a reason that everybody who waits is told: the end of the
// program, a message that is none, too many of them, or because somebody here has no more use for it.
import { CancellationTokenSource, createMessageConnection, ResponseError, type MessageConnection } from 'vscode-jsonrpc/node';
import { endingOf, type ServerProgram } from '../contract/index.ts';
import { ProgramReader, ProgramWriter } from './message-streams.ts';
import type { LanguageServerLimits } from './ports.ts';
import { within } from './within.ts';

/** Characters of what a server says itself. */
const MAX_SAID = 500;

/** What a server answered instead of an answer. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal';
  /** Of JSON-RPC or the protocol. */
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Wait {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly ms: number;
}

export interface ServerConnection {
  readonly messages: MessageConnection;
  /** Fires when it has ended; its reason is an Error. */
  readonly ended: AbortSignal;
  /** A question begins: what the server may send is counted anew. */
  begin(): void;
  /** @throws ServerRefusal, TooLate, or Error when the conversation has ended, or the signal fires: the server is then told to stop */
  request(method: string, params: unknown, wait: Wait): Promise<unknown>;
  /** @throws Error when the conversation has ended */
  notify(method: string, params: unknown): void;
  /** Ends the conversation and kills the program; resolves when nothing is left of it. Never throws. */
  end(reason: string): Promise<void>;
}

/** Nothing is heard before `messages.listen()`. */
export function openConnection(program: ServerProgram, limits: LanguageServerLimits): ServerConnection {
  const ending = new AbortController();
  const ended = ending.signal;
  let killed: Promise<void> | undefined;
  const end = (error: Error): Promise<void> => {
    ending.abort(error);
    messages.dispose();
    killed ??= killProgram(program);
    return killed;
  };
  const onFault = (error: Error): void => void end(error);
  const budget = { messages: limits.messages, bytes: limits.bytes };
  const onMessage = (bytes: number): void => {
    budget.messages -= 1;
    budget.bytes -= bytes;
    if (Math.min(budget.messages, budget.bytes) < 0) throw new Error('It sends more than can be listened to.');
  };
  const { messageBytes } = limits;
  const reader = new ProgramReader(program.stdout, { messageBytes, onMessage, onFault });
  const messages = createMessageConnection(reader, new ProgramWriter(program.stdin, { messageBytes, onFault }));
  void program.exited.then((exit) => end(new Error(said(endingOf(exit, program.stderrTail())))));
  let pending = 0;
  return {
    messages,
    ended,
    begin: () => void Object.assign(budget, { messages: limits.messages, bytes: limits.bytes }),
    async request(method, params, { signal, ms }) {
      ended.throwIfAborted();
      if (pending >= limits.pending) throw new Error(`It has ${pending} questions that it has not answered: ask later.`);
      pending += 1;
      const source = new CancellationTokenSource();
      const answer = messages.sendRequest<unknown>(method, ...given(params), source.token).finally(() => (pending -= 1));
      try {
        const late = `It did not answer within ${ms / 1_000} seconds.`;
        return await within(answer, { signal: AbortSignal.any([signal, ended]), ms, late });
      } catch (error) {
        if (error instanceof ResponseError && !ended.aborted) throw new ServerRefusal(error.code, said(error.message));
        if (!ended.aborted) source.cancel();
        throw ended.aborted && !signal.aborted ? ended.reason : error;
      }
    },
    notify(method, params) {
      ended.throwIfAborted();
      messages.sendNotification(method, ...given(params)).catch(() => {
        // It takes no input any more: its end is told to who waits for it.
      });
    },
    end: (reason) => end(new Error(reason)),
  };
}

async function killProgram(program: ServerProgram): Promise<void> {
  try {
    await program.kill();
  } catch {
    // It is beyond reach: its own end may still come.
  }
}

/** Some servers refuse parameters where there are none. */
function given(params: unknown): unknown[] {
  return params === undefined ? [] : [params];
}

function said(text: unknown): string {
  return String(text)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_SAID);
}
