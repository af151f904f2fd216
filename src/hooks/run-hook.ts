// One hook, from its handler to its verdict. Where it is a gate, a hook that is late, cannot run or cannot be understood is a no.
import { existsSync } from 'node:fs';
import { messageOf, type HookEvent, type HookVerdict, type PermissionContext } from '../contract/index.ts';
import type { Hook } from './hook-table.ts';
import type { HookPorts } from './ports.ts';
import { readAnswer, SILENCE, type HandlerEnd, type HookFault } from './read-answer.ts';
import { callHook, fillHeaders } from './run-http.ts';
import type { HookHandler, HookSource } from './settings.ts';

/** Bytes that a hook may answer with. */
const MAX_ANSWER_BYTES = 1_048_576;
const LATE: HookFault = { fault: 'did not answer in time' };
const TOO_LONG: HookFault = { fault: `gave an answer of more than ${MAX_ANSWER_BYTES} bytes` };

export const GATES: ReadonlySet<HookEvent> = new Set(['PreToolUse', 'PermissionRequest']);

/** An occasion on its way to the hooks. */
export interface Inquiry {
  readonly event: HookEvent;
  /** The occasion as JSON. */
  readonly input: string;
  /** Header fields that go with the requests of `http` hooks; those of a hook's own count more. */
  readonly trace: Readonly<Record<string, string>> | undefined;
  readonly context: PermissionContext;
  readonly signal: AbortSignal;
}

/** Never throws. */
export async function runHook(hook: Hook, inquiry: Inquiry, ports: HookPorts): Promise<HookVerdict> {
  const answer = await ask(hook, inquiry, ports);
  if (!('fault' in answer)) return answer;
  if (!inquiry.signal.aborted) ports.report(`Hook ${hook.label} ${answer.fault}`, answer.detail);
  return faulty(hook, inquiry.event, answer);
}

async function ask({ handler, source }: Hook, inquiry: Inquiry, ports: HookPorts): Promise<HookVerdict | HookFault> {
  const { event, signal } = inquiry;
  try {
    const order: Order = { source, inquiry, ports };
    const end = handler.type === 'command' ? await askCommand(handler, order) : await askUrl(handler, order);
    if (signal.aborted) return { fault: 'was stopped' };
    return 'fault' in end ? end : readAnswer(event, end);
  } catch (error) {
    return { fault: signal.aborted ? 'was stopped' : 'could not be run', detail: messageOf(error) };
  }
}

interface Order {
  readonly source: HookSource;
  readonly inquiry: Inquiry;
  readonly ports: HookPorts;
}

type HandlerOf<Type> = Extract<HookHandler, { readonly type: Type }>;

async function askCommand({ command, timeout }: HandlerOf<'command'>, { source, inquiry, ports }: Order): Promise<HandlerEnd | HookFault> {
  const run = ports.commandFor(source);
  if (run === null) return { fault: 'could not be run', detail: 'commands of hooks need a sandbox that works' };
  const { workspace, sessionId, state, env } = inquiry.context;
  const end = await run({
    command,
    // A model may have removed the directory it stood in: hooks that block for ever would not bring it back.
    cwd: existsSync(state.cwd) ? state.cwd : workspace,
    env: { ...(source === 'session' && env), CLAUDE_PROJECT_DIR: workspace, TOOLEXEC_SESSION_ID: sessionId },
    stdin: inquiry.input,
    timeoutMs: timeout * 1000,
    signal: inquiry.signal,
    maxOutputBytes: MAX_ANSWER_BYTES,
  });
  if (end.timedOut) return LATE;
  return end.overflowed ? TOO_LONG : { ...end, jsonAlone: false };
}

async function askUrl(handler: HandlerOf<'http'>, { source, inquiry, ports }: Order): Promise<HandlerEnd | HookFault> {
  const { url, headers, allowedEnvVars, timeout } = handler;
  const { status, body, timedOut, overflowed } = await callHook(ports.fetchFor(source), {
    url,
    headers: { ...inquiry.trace, ...fillHeaders(headers, allowedEnvVars, source === 'session' ? inquiry.context.env : ports.variables) },
    body: inquiry.input,
    timeoutMs: timeout * 1000,
    signal: inquiry.signal,
    maxBytes: MAX_ANSWER_BYTES,
  });
  if (timedOut) return LATE;
  if (overflowed) return TOO_LONG;
  if (status < 200 || status > 299) return { fault: `answered with status ${status}` };
  return { exitCode: 0, stdout: body, stderr: '', jsonAlone: true };
}

function faulty({ handler, label }: Hook, event: HookEvent, { fault, detail, mild = false }: HookFault): HookVerdict {
  const note = `Hook ${label} ${fault}${detail ? `: ${detail}` : '.'}`;
  const forgiven = mild || ('onTimeout' in handler && handler.onTimeout === 'allow');
  if (!GATES.has(event) || (forgiven && handler.onFailure !== 'block')) return { ...SILENCE, notes: [note] };
  const reason = `a hook that must agree ${fault}. Try once more, and tell the user if it stays so.`;
  return { ...SILENCE, behavior: 'deny', reason, notes: [note] };
}
