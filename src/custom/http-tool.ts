// A call over HTTP: the call goes out as JSON, what comes back is the result.
import { messageOf, readWithin, withoutSecrets, type CallContext, type Fetch, type Tool, type ToolResult } from '../contract/index.ts';
import type { HttpSettings } from './definition.ts';
import { quoted, readAnswer } from './read-answer.ts';

/** Bytes of an answer, as they are after decompression. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** Bytes that are read of an answer that is no success. */
const MAX_REFUSAL_BYTES = 16 * 1024;
/** Milliseconds by which the engine's limit lies above the tool's own, which can tell more. */
const MARGIN_MS = 5_000;

interface Served {
  readonly name: string;
  readonly http: HttpSettings;
  readonly fetch: Fetch;
}

/** How a tool behind a URL is called. */
export function httpExecution(served: Served): Pick<Tool, 'timeoutMs' | 'call'> {
  return { timeoutMs: served.http.timeout_ms + MARGIN_MS, call: (input, context) => callServer(served, input, context) };
}

async function callServer(served: Served, input: unknown, context: CallContext): Promise<ToolResult> {
  const { timeout_ms } = served.http;
  const deadline = AbortSignal.timeout(timeout_ms);
  try {
    return resultOf(await exchange(served, input, { context, deadline }));
  } catch (error) {
    if (!deadline.aborted || context.signal.aborted) throw error;
    return { content: `The server of this tool gave no whole answer within ${timeout_ms} ms.`, isError: true, timedOut: true };
  }
}

interface Exchanged {
  readonly status: number;
  /** Its beginning, when `cut`. */
  readonly text: string;
  readonly cut: boolean;
}

/** @throws Error that says why there was no answer, for the model */
async function exchange(
  { name, http, fetch }: Served,
  input: unknown,
  { context, deadline }: { context: CallContext; deadline: AbortSignal },
): Promise<Exchanged> {
  try {
    const { status, body } = await fetch(http.url, {
      method: http.method,
      headers: {
        accept: 'application/json',
        ...context.traceHeaders?.(context.toolUseId),
        ...http.headers,
        'content-type': 'application/json',
        'idempotency-key': keyOf(context),
      },
      body: JSON.stringify({ tool_use_id: context.toolUseId, session_id: context.sessionId, name, input }),
      redirect: 'follow',
      signal: AbortSignal.any([context.signal, deadline]),
    });
    const { bytes, cut } = await readWithin(body, isSuccess(status) ? MAX_ANSWER_BYTES : MAX_REFUSAL_BYTES);
    // As of a stream, where more may come: a character that was cut is left out.
    const text = new TextDecoder().decode(bytes, { stream: cut });
    // What the client has given for the server alone is not for the model, should the server repeat it.
    return { status, cut, text: withoutSecrets(Object.values(http.headers))(text) };
  } catch (error) {
    throw new Error(`The server of this tool gave no answer. ${messageOf(error)}`, { cause: error });
  }
}

/** The same for the same call when it runs again, and for no other: ids of calls need not be unique, those of turns are. */
function keyOf({ turnId, toolUseId }: CallContext): string {
  return `${turnId}.${encodeURIComponent(toolUseId.toWellFormed())}`;
}

/** @throws Error that says what came, when that is no result */
function resultOf({ status, text, cut }: Exchanged): ToolResult {
  if (!isSuccess(status)) throw new Error(`The server of this tool answered with status ${status}.${quoted(text)}`);
  if (cut) throw new Error(`The answer of this tool's server is larger than ${MAX_ANSWER_BYTES} bytes: ask for less.`);
  return readAnswer(text);
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
