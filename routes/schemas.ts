// Shapes that several routes share. Replies are documented by them and sent as they are.
import { z } from 'zod';
import { OUTCOMES } from '../src/contract/index.ts';
import { isRecord } from '../src/formats/is-record.ts';
import { MessageReply, ProblemDetails, Sandbox, Session, ToolResult, Turn } from '../src/plugins/documents/wire-schemas.ts';
import { SessionOptions } from '../src/sessions/settings/session-options.ts';

/** What a model reads of a result. */
export const ToolContent = ToolResult.shape.content;

export { MessageReply, Sandbox as SandboxReply, Session as SessionReply, Turn as TurnReplyTurn };

export const SessionParams = z.object({ id: z.string().max(100).describe('Id of the session.') });
export const TurnParams = SessionParams.extend({ turn_id: z.string().max(100).describe('Id of the turn.') });
export const CallParams = TurnParams.extend({ tool_use_id: z.string().max(256).describe('Id of the call, as the model gave it.') });

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('How many at most.'),
  cursor: z.string().max(500).exactOptional().describe('`next_cursor` of the page before.'),
});

export const FormatQuery = z.object({ format: z.string().max(50).optional().describe('Recognised from the shape when absent.') });

export const problems = { '4xx': ProblemDetails, '5xx': ProblemDetails } as const;

/** What an API user reads about each option of a session. */
const OPTION_HELP: Readonly<Record<keyof typeof SessionOptions.shape, string>> = {
  workspace: "A directory under one of the operator's roots. Without it the session gets a fresh one, which goes with it.",
  permissions:
    '`mode` decides what runs without being asked for. `additional_dirs` are directories beside the workspace that may be written to. `ask_timeout_ms`: how long a call waits for an approval before it is denied.',
  sandbox: 'Where commands run. `auto` takes a sandbox where there is one; `required` refuses to run without.',
  tools:
    'Names of the tools that the session has (`include`, all when `null`, custom tools and those of MCP servers among them) and has not (`exclude`). `search`: whether tools are deferred until a model searches for them; `auto`: those from outside, once they fill a tenth of the context. `custom`: tools that the session brings along.',
  mcp_servers:
    'MCP servers by name; their tools are called `mcp__<server>__<tool>`. Programs run in the sandbox, from the workspace. They are connected when their tools are asked for or called.',
  execution:
    '`max_concurrency` bounds the calls in flight. `on_tool_error`: whether a failing command stops the other commands of its batch. `on_disconnect`: whether the turn of a socket goes on without it. `call_ids`: `per_message` is for models that repeat ids. `input_idle_ms`: how long an open turn waits for its next frame.',
  hooks: "Hooks of type `http`, by event: they run beside the operator's and can only tighten.",
  env: 'Variables that commands get. Those that change how programs load or are judged (`PATH`, `LD_*`, `GIT_*`, …) are refused.',
  metadata: "The client's own; given back as it is.",
  ttl_ms: 'How long the session lives after it was last used.',
};

z.globalRegistry.add(SessionOptions, {
  id: 'SessionOptions',
  description: 'What a client may set of a session. All keys are optional; unknown ones are refused.',
});
for (const [key, schema] of Object.entries(SessionOptions.shape)) {
  z.globalRegistry.add(schema, { description: OPTION_HELP[key as keyof typeof OPTION_HELP] });
}

export const AssistantMessage = z.looseObject({}).meta({
  id: 'AssistantMessage',
  description: 'One assistant message as a model API returned it. Keys and blocks that are not needed are passed over.',
});

export const OneShotMessage = z.looseObject({ session: SessionOptions.optional() }).meta({
  id: 'OneShotMessage',
  description: 'An assistant message, with options of the one-shot session beside its own keys.',
});

export const CallRequest = z
  .strictObject({
    name: z.string().min(1).describe('Name of the tool. One that the session does not have is answered as any other call, with an error.'),
    arguments: z
      .unknown()
      .refine((value) => value == null || typeof value === 'string' || isRecord(value), {
        error: 'must be a JSON object, or a text that is one',
      })
      .optional()
      .meta({ type: ['object', 'string', 'null'] })
      .describe('What the tool takes: an object, or its JSON text. What is absent is `{}`.'),
    session_id: z
      .string()
      .max(100)
      .optional()
      .describe('Where to run it. In a session made for this call and removed after it, when absent.'),
    session: SessionOptions.optional().describe('Options of the session that is made for the call.'),
  })
  .meta({ id: 'CallRequest' });

export const CallReply = z
  .object({
    result: ToolContent.nullable().describe('What the tool says: text, or blocks. `null` while it waits for somebody.'),
    is_error: z.boolean(),
    outcome: z.enum(OUTCOMES).nullable().describe('How the call has ended. `null` while it waits for somebody.'),
    coerced: z.array(z.string()).describe('Paths of the values that were repaired to fit the schema of the tool.'),
    turn_id: z.string().exactOptional().describe('Where the call is found again, in a session that stays.'),
    pending: MessageReply.shape.pending.describe(
      'Set when people or the client must do something first. Do it, then read the turn, or repeat this request with its `Idempotency-Key`: it joins the call.',
    ),
  })
  .meta({ id: 'CallReply', description: 'What became of a call.' });

export const McpQuery = z.object({
  session_id: z
    .string()
    .max(100)
    .optional()
    .describe('Use the tools of this session. Without it, those of one that is made for the client.'),
});

export const McpMessage = z
  .union([z.looseObject({}), z.array(z.unknown())])
  .meta({ id: 'McpMessage', description: 'A message of JSON-RPC 2.0, as the Model Context Protocol defines it.' });

export const McpReply = z.looseObject({}).meta({ id: 'McpReply', description: 'A message of JSON-RPC 2.0, or a stream of such messages.' });
