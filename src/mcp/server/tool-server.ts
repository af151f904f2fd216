// The protocol's server for one client: its tools are those of a session.
import { setImmediate } from 'node:timers/promises';
import { Server, type ClientCapabilities, type RequestId, type ServerContext } from '@modelcontextprotocol/server';
import { releaseVersion } from '../../contract/index.ts';
import { callTool, type CallServing } from './call-tool.ts';
import { asProtocol } from './errors.ts';
import type { HeldCalls } from './held-calls.ts';
import { listTools } from './list-tools.ts';
import type { Caller, HostClient, ToolHost } from './ports.ts';

const VERSION = releaseVersion();
/** Milliseconds that people have for an answer, where the server itself waits for it. */
const ANSWER_MS = 300_000;
/** Questions that one call may ask there. */
const MAX_QUESTIONS = 100;

const EXISTING = 'The tools work in one session of toolexec, whose files and settings stay when this connection ends.';
const OWN =
  'The tools work in a session that was made for this connection and goes with it, its files too. To work in a directory of your own or with other permissions, make a session with POST /v1/sessions and connect to /mcp?session_id=<its id>.';
const ONE_SHOT =
  'Each call works in a session that is made for it alone: files that it writes are gone after it. To keep files between calls, make a session with POST /v1/sessions and connect to /mcp?session_id=<its id>.';

export interface Serving {
  /** Requests that are being worked on. */
  readonly working: Set<Promise<unknown>>;
  readonly held: HeldCalls;
  /** What goes wrong here. */
  readonly report: (error: unknown) => void;
  /** What goes wrong with a client. */
  readonly note: (error: unknown) => void;
  /** The request that a message came with. */
  readonly callerOf: (request: Request | undefined) => Caller | undefined;
}

export interface ToolServerOptions {
  readonly caller: Pick<Caller, 'owner' | 'sessionId'>;
  /** True where one connection serves many requests. */
  readonly connected: boolean;
  readonly hostFor: (client: HostClient) => ToolHost;
  /** True while the client can be told something that it has not asked for. */
  readonly listens?: () => boolean;
  readonly onHostEnded?: () => void;
  /** Ends the stream of a request that gets no answer. */
  readonly endStream?: (requestId: RequestId) => void;
}

/** @returns the server, to be connected, and the host behind it, to be closed with it */
export function createToolServer(serving: Serving, options: ToolServerOptions): { server: Server; host: ToolHost } {
  const { caller, connected, hostFor, listens, onHostEnded, endStream } = options;
  const { held, working, report, note, callerOf } = serving;
  const own = new Set<Promise<unknown>>();
  const server = new Server(
    { name: 'toolexec', version: VERSION },
    {
      capabilities: { tools: connected ? { listChanged: true } : {} },
      instructions: caller.sessionId !== null ? EXISTING : connected ? OWN : ONE_SHOT,
      inputRequired: { roundTimeoutMs: ANSWER_MS, maxRounds: MAX_QUESTIONS },
    },
  );
  const host = hostFor({
    owner: caller.owner,
    connected,
    asks: () => asksPeople(server.getClientCapabilities()),
    toolsChanged: () => {
      if (listens?.() !== true) return false;
      server.sendToolListChanged().catch(note);
      return true;
    },
    // What is still to be answered is, first.
    ended: () => void allAnswered(own).then(() => onHostEnded?.()),
  });
  function work<Result>(begin: () => Promise<Result>): Promise<Result> {
    const result = asProtocol(begin, report);
    const over = (): void => {
      own.delete(result);
      working.delete(result);
    };
    own.add(result);
    working.add(result);
    result.then(over, over);
    return result;
  }
  const shared = { owner: caller.owner, host, held } satisfies Partial<CallServing>;
  function signalOf({ mcpReq: { id, signal } }: ServerContext): AbortSignal {
    signal.addEventListener('abort', () => endStream?.(id), { once: true });
    return signal;
  }
  server.setRequestHandler('tools/list', (request, context) => {
    const signal = signalOf(context);
    return work(() => listTools(request, host, signal));
  });
  server.setRequestHandler('tools/call', (request, context) => {
    signalOf(context);
    const { reads = () => true, closed } = callerOf(context.http?.req) ?? {};
    return work(() => callTool(request, context, { ...shared, reads, over: connected ? closed : undefined }));
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  server.onerror = note;
  return { server, host };
}

/** Resolves when these requests are answered, as far as that lies with the server. */
export async function allAnswered(working: Iterable<Promise<unknown>>): Promise<void> {
  await Promise.allSettled(working);
  // An answer goes out right after the work for it.
  await setImmediate();
}

/** Without a mode named, a client that can ask at all can ask with a form. */
function asksPeople(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
