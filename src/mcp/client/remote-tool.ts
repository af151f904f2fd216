// A tool of a server as one of ours. What the server says of it are hints: they decide what may run side by side, never what
// may run without a question.
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import {
  buildTool,
  clipped,
  type Effect,
  type Tool,
  type ToolEmission,
  type ToolHints,
  type ToolResult,
  type View,
} from '../../contract/index.ts';
import type { McpProgress, ServerCall } from './call-server.ts';
import { plainText } from './plain-text.ts';
import type { McpLimits } from './ports.ts';
import type { ServerLink } from './server-link.ts';

const MAX_DESCRIPTION = 2_048;
const MAX_TITLE = 200;
const MAX_SHOWN_INPUT = 2_000;

export interface RemoteToolParts {
  readonly link: ServerLink;
  readonly tool: ServerTool;
  /** As the session knows it. */
  readonly name: string;
  /** Milliseconds that one call may take. */
  readonly timeoutMs: number;
  readonly limits: McpLimits;
}

export function remoteTool({ link, tool, name, timeoutMs, limits }: RemoteToolParts): Tool {
  const { annotations = {}, description = '', inputSchema, _meta: meta } = tool;
  const title = clipped(plainText(tool.title ?? annotations.title ?? tool.name), MAX_TITLE);
  const readOnly = annotations.readOnlyHint === true;
  const heading = `${title} (${link.name})`;
  return buildTool({
    name,
    inputSchema,
    searchHint: `${link.name} ${title}`,
    userFacingName: () => heading,
    description: () => clipped(description, MAX_DESCRIPTION),
    hints: hintsOf(annotations),
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    isDestructive: () => !readOnly && annotations.destructiveHint === true,
    effect: () => effectOf(readOnly, annotations.idempotentHint === true),
    toAutoClassifierInput: (input) => `${name} ${shown(input)}`,
    shouldDefer: true,
    alwaysLoad: meta?.['anthropic/alwaysLoad'] === true,
    timeoutMs,
    renderUse: (input) => ({ title: heading, body: { kind: 'text', text: shown(input) }, collapsed: true }),
    renderProgress: (data: McpProgress) => progressView(heading, data),
    call: (input, { signal, people, toolUseId, traceHeaders }) => {
      const trace = traceHeaders?.(toolUseId);
      return onServer({ link, tool, input, signal, people, idleMs: limits.callIdleMs, ...(trace && { trace }) });
    },
  }) as Tool;
}

/** The SDK is loaded by then: its server was asked for its tools. */
async function* onServer(call: ServerCall): AsyncGenerator<ToolEmission<McpProgress>, ToolResult, void> {
  const { callServer } = await import('./call-server.ts');
  return yield* callServer(call);
}

/** Of a tool that changes nothing, it means nothing whether it destroys. */
function hintsOf({ readOnlyHint, destructiveHint, idempotentHint }: NonNullable<ServerTool['annotations']>): ToolHints {
  if (readOnlyHint === true) return { readOnly: true };
  return { ...(destructiveHint !== undefined && { destructive: destructiveHint }), ...(idempotentHint === true && { idempotent: true }) };
}

function effectOf(readOnly: boolean, idempotent: boolean): Effect {
  if (readOnly) return 'read';
  return idempotent ? 'idempotent' : 'once';
}

function progressView(title: string, { progress, total, message }: McpProgress): View {
  const counted = total === undefined ? String(progress) : `${progress} / ${total}`;
  return { title, body: { kind: 'text', text: message === undefined ? counted : `${counted} ${message}` } };
}

function shown(input: unknown): string {
  return JSON.stringify(input).slice(0, MAX_SHOWN_INPUT);
}
