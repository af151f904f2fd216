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
import { textOf, type ApprovalSummary } from '../../contract/index.ts';
import { toolResult } from './content.ts';
import type { HeldCall, HeldCalls } from './held-calls.ts';
import type { ToolHost } from './ports.ts';
import { progressTeller } from './progress.ts';

/** Name of the question in what is asked and answered. */
const QUESTION = 'approval';
/** Characters of the input that people are shown. */
const INPUT_CHARS = 2_000;

export interface CallServing {
  readonly owner: string;
  readonly host: ToolHost;
  readonly held: HeldCalls;
  /** False while the client does not read. */
  readonly reads: () => boolean;
  /** True where one connection lives through question and answer, so that what cancels the request cancels the question. */
  readonly connected: boolean;
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
      const asking = ask({ call, approvalId: step.approval.id, told }, step.approval, { signal, serving });
      if (asking !== null) return asking;
      await call.answer(step.approval.id, 'deny');
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
  if (answer.kind === 'elicit') await found.call.answer(found.approvalId, answer.action === 'accept' ? 'allow' : 'deny');
  return found;
}

/** Puts the question; `null` when too many are open. */
function ask(call: HeldCall, approval: ApprovalSummary, { signal, serving }: { signal: AbortSignal; serving: CallServing }) {
  const key = serving.held.hold(serving.owner, call);
  if (key === null) return null;
  if (serving.connected) signal.addEventListener('abort', () => serving.held.cancel(key), { once: true });
  const question = inputRequired.elicit({ message: questionText(approval), requestedSchema: { type: 'object', properties: {} } });
  return inputRequired({ inputRequests: { [QUESTION]: question }, requestState: key });
}

function questionText({ name, reason, input }: ApprovalSummary): string {
  const text = JSON.stringify(input, null, 2) ?? '';
  const shown = text.length > INPUT_CHARS ? `${text.slice(0, INPUT_CHARS).toWellFormed()}…` : text;
  return `May ${name} run? ${reason}\n\n${shown}`;
}
