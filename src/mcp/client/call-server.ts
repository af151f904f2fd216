// One call on a server: progress comes out as it is told, and whatever stops the call is told to the server.
import type { CallToolResult, Progress, Tool as ServerTool } from '@modelcontextprotocol/client';
import { whenFired, type People, type ToolEmission, type ToolResult } from '../../contract/index.ts';
import type { Connection } from './connection.ts';
import { describeFailure, isUnknownSession } from './describe-failure.ts';
import { startIdleClock } from './idle-clock.ts';
import { createLatest } from './latest.ts';
import { mapTexts } from './map-texts.ts';
import { contentOf, mapText } from './result-content.ts';
import { callThatAsks, type Question, type RunningCall } from './running-calls.ts';
import type { ServerLink } from './server-link.ts';

/** Characters of what a server says of its progress. */
const MAX_MESSAGE = 4_000;
/** Timers cannot be longer. The SDK's own time is never to be the first that is over. */
const NEVER_MS = 2 ** 31 - 1;

export interface McpProgress {
  readonly kind: 'mcp';
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface ServerCall {
  readonly link: ServerLink;
  readonly tool: ServerTool;
  readonly input: Record<string, unknown>;
  readonly signal: AbortSignal;
  readonly people: People;
  /** Milliseconds without progress after which the call is ended. */
  readonly idleMs: number;
  /** Fields of W3C Trace Context, which MCP carries beside the arguments. */
  readonly trace?: Readonly<Record<string, string>>;
}

/** Never throws because of the server: what goes wrong there is a result that says so. */
export async function* callServer(call: ServerCall): AsyncGenerator<ToolEmission<McpProgress>, ToolResult, void> {
  const progress = createLatest<McpProgress>();
  using clock = startIdleClock(call.idleMs);
  const left = new AbortController();
  const signal = inWords(AbortSignal.any([call.signal, clock.signal, left.signal]));
  const { redact } = call.link;
  const running = callThatAsks((question) => clock.pauseFor(askPeople(call.people, question)));
  const onprogress = (told: Progress): void => {
    clock.heard();
    progress.put(progressOf(told, redact));
  };
  try {
    const answer = carryOut(call, { running, signal, onprogress }).finally(() => progress.end());
    // It is awaited below; until then nobody needs to be told.
    answer.catch(() => {});
    for await (const data of progress) yield { type: 'progress', data };
    return resultOf(await answer, redact);
  } catch (error) {
    if (call.signal.aborted) throw error;
    if (clock.signal.aborted) return failed(call, `It told nothing for ${call.idleMs} ms, and the call was ended.`, { timedOut: true });
    return failed(call, redact(describeFailure(error)));
  } finally {
    left.abort();
  }
}

type Redact = ServerLink['redact'];

interface Means {
  readonly running: RunningCall;
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

async function carryOut(call: ServerCall, means: Means): Promise<CallToolResult> {
  for (let attempt = 1; ; attempt += 1) {
    using lease = await call.link.lease(means.signal);
    const { connection } = lease;
    try {
      const result = await connection.calls.during(means.running, () => request(call, connection, means));
      lease.answered();
      return result;
    } catch (error) {
      // A server that has forgotten the session has not run the call.
      if (!isUnknownSession(error) || !connection.stateful) throw error;
      call.link.drop(connection);
      if (attempt > 1) throw error;
    }
  }
}

async function request({ tool, input, trace }: ServerCall, connection: Connection, { signal, onprogress }: Means): Promise<CallToolResult> {
  signal.throwIfAborted();
  const options = { signal, onprogress, timeout: NEVER_MS };
  const answer = connection.client.callTool({ name: tool.name, arguments: input, ...(trace && { _meta: { ...trace } }) }, options);
  const { promise: lost, reject } = Promise.withResolvers<never>();
  // Nothing of a call may stay with the connection, which lives longer.
  using _ = connection.onEnd((reason) => reject(new Error(`${reason} The call may have taken effect.`)));
  return await Promise.race([answer, lost]);
}

async function askPeople(people: People, { reason, input }: Question): ReturnType<RunningCall['ask']> {
  const { behavior, updatedInput } = await people.approve({ reason, input });
  return behavior === 'deny' ? null : (updatedInput ?? 'allowed');
}

/** The server is told the reason as a text. */
function inWords(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  whenFired(signal, () => {
    const reason: unknown = signal.reason;
    const message: unknown = typeof reason === 'object' && reason !== null && 'message' in reason ? reason.message : undefined;
    controller.abort(typeof message === 'string' ? message : 'The call was stopped.');
  });
  return controller.signal;
}

function progressOf({ progress, total, message }: Progress, redact: Redact): McpProgress {
  const said = message !== undefined && { message: redact(message).slice(0, MAX_MESSAGE) };
  return { kind: 'mcp', progress, ...(total !== undefined && { total }), ...said };
}

/** What a server was given as a secret, it may repeat anywhere. */
function resultOf({ content, isError, structuredContent: output }: CallToolResult, redact: Redact): ToolResult {
  const structuredContent = mapTexts(output, redact);
  return {
    content: mapText(contentOf({ content, structuredContent }), redact),
    ...(isError === true && { isError }),
    ...(structuredContent !== undefined && { output: structuredContent }),
  };
}

function failed({ link }: ServerCall, reason: string, more: { timedOut?: true } = {}): ToolResult {
  return { content: `The MCP server ${link.name} could not carry out the call. ${reason}`, isError: true, ...more };
}
