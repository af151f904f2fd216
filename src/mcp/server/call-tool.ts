// One `tools/call`: the call runs in its session; when people must be asked, the question goes to the client, and the
// call is held until the client comes back with their answer. Either revision has its own way to ask: the SDK knows them.
import {
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { textOf } from '../../contract/index.ts';
import { toolResult } from './content.ts';
import type { HeldCall, HeldCalls } from './held-calls.ts';
import type { CallStep, ToolHost } from './ports.ts';
import { progressTeller } from './progress.ts';
import { answerOf, questionOf } from './question.ts';

/** Name of the question in what is asked and answered. */
const QUESTION = 'approval';

export interface CallServing {
  readonly owner: string;
  readonly host: ToolHost;
  readonly held: HeldCalls;
  /** False while the client does not read. */
  readonly reads: () => boolean;
  /** Where question and answer belong to one request: resolves when that has been answered, or its client has left. */
  readonly over: Promise<void> | undefined;
}

/** @throws ProtocolError for a tool that is not there and an answer to nothing; Problem */
export async function callTool(
  { params }: CallToolRequest,
  context: ServerContext,
  serving: CallServing,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal } = context.mcpReq;
  const { call, told } = (await answeredCall(context, serving)) ?? {
    call: await serving.host.begin({ name: params.name, arguments: params.arguments ?? {} }),
    told: { progress: 0 },
  };
  const onProgress = progressTeller(context, told, serving.reads);
  for (;;) {
    const step = await call.step({ signal, ...(onProgress && { onProgress }) });
    if (step.kind === 'asked') {
      const asking = ask({ call, told }, step, { signal, serving });
      if (asking !== null) return asking;
      await call.answer(step.approval.id, { behavior: 'deny' });
    } else if (step.outcome === 'unknown_tool') {
      const text = textOf(step.content).replaceAll(/<\/?tool_use_error>/g, '');
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text, { outcome: step.outcome, ...call.ids });
    } else {
      return toolResult(step, call.ids);
    }
  }
}

/** The call that the client comes back to, if it does, once the answer is taken. */
async function answeredCall({ mcpReq }: ServerContext, { owner, held }: CallServing): Promise<HeldCall | undefined> {
  const key = mcpReq.requestState();
  if (key === undefined) return undefined;
  const found = typeof key === 'string' ? held.take(owner, key) : undefined;
  if (found === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'No call waits for this answer (any more): call the tool again.');
  }
  const answer = inputResponse(mcpReq.inputResponses, QUESTION);
  // Without an answer the call is still where it was, and asks again.
  if (answer.kind === 'elicit') await found.call.answer(found.approvalId, answerOf(answer, found.byTool));
  return found;
}

interface Asking {
  readonly signal: AbortSignal;
  readonly serving: CallServing;
}

/** Puts the question; `null` when too many are open. @throws ProtocolError when nobody would hear it any more */
function ask(
  { call, told }: Pick<HeldCall, 'call' | 'told'>,
  asked: Extract<CallStep, { kind: 'asked' }>,
  { signal, serving: { held, owner, over } }: Asking,
): InputRequiredResult | null {
  if (signal.aborted) {
    call.cancel();
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'The call was cancelled before people could be asked.');
  }
  const question = questionOf(asked);
  const key = held.hold(owner, { call, approvalId: asked.approval.id, byTool: asked.byTool, told });
  if (key === null) return null;
  void over?.then(() => held.cancel(key));
  return inputRequired({ inputRequests: { [QUESTION]: question }, requestState: key });
}
