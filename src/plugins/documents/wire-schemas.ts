// The things that replies and events hold, as they travel. Each has a name, under which both documents refer to it.
import { z } from 'zod';
import { CALL_STATES, OUTCOMES, RESOLUTIONS, TASK_ITEM_STATUSES, TURN_STATUSES } from '../../contract/index.ts';
import { SessionOptions } from '../../sessions/settings/session-options.ts';

const milliseconds = z.int().min(0).describe('Whole milliseconds.');
const time = z.iso.datetime().describe('RFC 3339, UTC, with milliseconds.');

export const Todo = z
  .object({
    content: z.string(),
    status: z.enum(['pending', 'in_progress', 'completed']),
    activeForm: z.string().describe('What to say while it is in progress.'),
  })
  .meta({ id: 'Todo' });

export const ProblemDetails = z
  .object({
    type: z.string().describe('`/problems/<slug>`: stable, and a page that says what to do.'),
    title: z.string(),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('What is wrong here and what to change.'),
    instance: z.string().exactOptional().describe('Id of the request, as it stands in the log of the service.'),
    errors: z
      .array(z.object({ path: z.string().describe('Dotted path of the value.'), message: z.string() }))
      .exactOptional()
      .describe('What is wrong with which value.'),
  })
  .meta({
    id: 'Problem',
    description: 'RFC 9457 problem details. A fault of a tool call is never one of these: it is a `tool_result` with `is_error`.',
    examples: [
      {
        type: '/problems/session-not-found',
        title: 'Session not found',
        status: 404,
        detail: 'There is no session ses_1: it was never made, was deleted, or has expired.',
        instance: 'req-1',
      },
    ],
  });

export const Decision = z
  .object({
    behavior: z.enum(['allow', 'ask', 'deny']),
    decided_by: z.string().describe('A mode, a rule, a hook, the tool, an approval, or the policy where something failed.'),
    rule: z.string().exactOptional().describe('Text of the rule, when one decided.'),
    reason: z.string().exactOptional().describe('Present unless the call was allowed.'),
  })
  .meta({ id: 'Decision', description: 'Whether a call may run, and who said so.' });

const ViewBody = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('markdown'), text: z.string() }),
  z.object({ kind: z.literal('terminal'), text: z.string() }),
  z.object({ kind: z.literal('diff'), path: z.string(), diff: z.string().describe('Unified diff.') }),
  z.object({ kind: z.literal('table'), columns: z.array(z.string()), rows: z.array(z.array(z.string())) }),
  z.object({ kind: z.literal('list'), items: z.array(z.string()) }),
]);

export const View = z
  .object({
    title: z.string(),
    subtitle: z.string().exactOptional(),
    body: ViewBody.exactOptional(),
    collapsed: z.boolean().exactOptional(),
  })
  .meta({ id: 'View', description: 'A picture of a call, to draw it without knowing its tool.' });

const base64 = <MediaType extends z.ZodType>(mediaType: MediaType) =>
  z.object({ type: z.literal('base64'), media_type: mediaType, data: z.string() });

const ContentBlock = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({ type: z.literal('image'), source: base64(z.string()) }),
    z.object({ type: z.literal('document'), source: base64(z.literal('application/pdf')), title: z.string().exactOptional() }),
    z.object({ type: z.literal('tool_reference'), tool_name: z.string() }),
  ])
  .meta({ id: 'ContentBlock', description: 'A content block of the Anthropic Messages API.' });

export const ToolResult = z
  .object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(ContentBlock)]),
    is_error: z.boolean(),
  })
  .meta({ id: 'ToolResult', description: 'What goes back to the model: exactly one for each call.' });

const ChatContentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
]);

export const OutgoingMessage = z
  .union([
    z.object({ role: z.literal('user'), content: z.array(ToolResult) }).describe('`anthropic`: one message'),
    z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }).describe('`openai_chat`: one for each call'),
    z.object({ role: z.literal('user'), content: z.array(ChatContentPart) }).describe('`openai_chat`: the images of the results'),
    z
      .object({ type: z.literal('function_call_output'), call_id: z.string(), output: z.string() })
      .describe('`openai_responses`: one for each call'),
  ])
  .meta({
    id: 'OutgoingMessage',
    description: 'What to append to the conversation, in the format of the message: `conversation.push(...reply.messages)`.',
  });

export const Resolved = z.enum(RESOLUTIONS).describe('How its outcome, which was unknown, was settled.');

export const Call = z
  .object({
    tool_use_id: z.string(),
    name: z.string(),
    state: z.enum(CALL_STATES),
    outcome: z.enum(OUTCOMES).nullable().describe('`null` until the call has ended.'),
    is_error: z.boolean(),
    batch: z.int().min(0).nullable().describe('Index into `batches`; `null` until the call is partitioned.'),
    queued_ms: milliseconds,
    duration_ms: milliseconds,
    waiting_for: z.enum(['approval', 'client']).exactOptional(),
    coerced: z.array(z.string()).exactOptional().describe('Paths of the values that were repaired to fit the schema of the tool.'),
    resolved: Resolved.exactOptional(),
  })
  .meta({ id: 'Call' });

export const Turn = z
  .object({
    id: z.string(),
    status: z.enum(TURN_STATUSES),
    created_at: time,
    duration_ms: milliseconds,
    last_seq: z.int().min(0).describe('`seq` of its last event; 0 until it has ended.'),
    stop: z.object({ reason: z.string() }).nullable().describe('Why the turn ended by itself, such as `input_lost`.'),
    batches: z.array(z.object({ concurrent: z.boolean(), tool_use_ids: z.array(z.string()) })),
    groups: z
      .array(z.object({ batch: z.int().min(0), name: z.string(), tool_use_ids: z.array(z.string()), view: View }))
      .exactOptional()
      .describe('Calls of one tool in one concurrent batch, drawn together. Of a turn that has ended.'),
    calls: z.array(Call).describe('In the order of the message.'),
  })
  .meta({ id: 'Turn', description: 'One assistant message being run, or having been run.' });

const input_shortened = z.literal(true).exactOptional();

export const OpenTurn = Turn.extend({
  calls: z.array(
    Call.extend({
      input: z.unknown().describe('As the model sent it.'),
      input_shortened: input_shortened.describe('`input` is a shortened copy: the whole is in the `call_queued` event of the call.'),
      view: View.describe('Without its body where that is large.'),
    }),
  ),
}).meta({ id: 'OpenTurn', description: 'A turn that runs or waits, with all it takes to draw it.' });

export const Approval = z
  .object({
    id: z.string(),
    tool_use_id: z.string(),
    name: z.string(),
    input: z.unknown(),
    reason: z.string(),
    suggestions: z.array(z.object({ rule: z.string() })),
    expires_at: time,
  })
  .meta({ id: 'Approval', description: 'A call that waits for a person.' });

export const OpenApproval = Approval.extend({
  input_shortened: input_shortened.describe('`input` is a shortened copy: `GET /v1/sessions/:id/approvals` has the whole.'),
}).meta({ id: 'OpenApproval', description: 'A call that waits for a person, as the first frame of a socket shows it.' });

export const MessageReply = z
  .object({
    messages: z.array(OutgoingMessage).describe('In the order of the calls. Empty until the turn has ended.'),
    turn: Turn,
    pending: z
      .array(
        z.discriminatedUnion('type', [
          Approval.extend({ type: z.literal('approval') }),
          z.object({ type: z.literal('client_call'), tool_use_id: z.string(), name: z.string(), input: z.unknown() }),
        ]),
      )
      .exactOptional()
      .describe('With status `requires_action`: what is waited for. Answer it, then send the same message again, or read the turn.'),
  })
  .meta({ id: 'MessageReply', description: 'What became of a message.' });

export const TaskItem = z
  .object({
    id: z.string(),
    subject: z.string(),
    description: z.string(),
    activeForm: z.string().exactOptional(),
    status: z.enum(TASK_ITEM_STATUSES),
    owner: z.string().exactOptional(),
    blocks: z.array(z.string()).readonly(),
    blockedBy: z.array(z.string()).readonly(),
    metadata: z.record(z.string(), z.unknown()).readonly().exactOptional(),
  })
  .readonly()
  .meta({ id: 'TaskItem', description: 'Something that the model plans to do.' });

export const Schedule = z
  .object({ id: z.string(), cron: z.string(), prompt: z.string(), recurring: z.boolean(), createdAt: z.int() })
  .readonly()
  .meta({ id: 'Schedule', description: 'A prompt that an agent is given whenever its time has come.' });

export const Task = z
  .object({
    id: z.string(),
    kind: z.enum(['command', 'agent']),
    status: z.enum(['running', 'completed', 'failed', 'stopped']),
    command: z.string().exactOptional(),
    description: z.string().exactOptional(),
    started_at: time,
    ended_at: time.exactOptional(),
    exit_code: z.int().exactOptional(),
    output_bytes: z.int().min(0),
  })
  .meta({ id: 'Task', description: 'A background task.' });

export const Sandbox = z
  .union([z.object({ mode: z.enum(['on', 'external']) }), z.object({ mode: z.literal('off'), reason: z.string() })])
  .meta({
    id: 'Sandbox',
    description: 'Whether commands are shut in: by a sandbox of the service, by what is around it, or by nothing, and why.',
  });

export const Session = z
  .object({
    id: z.string(),
    object: z.literal('session'),
    created_at: time,
    updated_at: time,
    expires_at: time,
    status: z.enum(['idle', 'running', 'closed']),
    workspace: z.object({
      path: z.string().describe('Absolute path on the machine of the service.'),
      ephemeral: z.boolean().describe('True when the directory was made for the session and goes with it.'),
    }),
    cwd: z.string().describe('Where commands start; always inside the workspace.'),
    permissions: SessionOptions.shape.permissions,
    execution: SessionOptions.shape.execution,
    sandbox: Sandbox,
    tools: z.object({ hash: z.string().describe('Changes when the list of tools does.') }),
    metadata: SessionOptions.shape.metadata,
    todos: z.array(Todo),
    last_seq: z.int().min(0).describe('`seq` of the newest event in the log.'),
    parent: z
      .object({ session_id: z.string(), turn_id: z.string(), tool_use_id: z.string() })
      .exactOptional()
      .describe("Of an agent's session: the call that wants it, and its session."),
  })
  .meta({ id: 'Session' });
