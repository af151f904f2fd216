// What an API user wants to know of each operation, and its schemas cannot say.
import { PATCHABLE } from '../../sessions/settings/session-options.ts';
import { schemaRef } from './document-schemas.ts';
import {
  CALL_EXAMPLES,
  CALL_REPLY_EXAMPLES,
  MESSAGE_EXAMPLES,
  ONE_SHOT_EXAMPLES,
  REPLY_EXAMPLES,
  SESSION_EXAMPLES,
  SESSION_PATCH_EXAMPLES,
} from './document-examples.ts';
import { FILE_OPERATIONS } from './openapi-file-operations.ts';
import type { Content, OperationDocs, ReplyDocs } from './operation-docs.ts';

const EVENT_STREAM: Content = {
  schema: schemaRef('StreamEvent'),
  examples: {
    stream: {
      summary: 'Server-Sent Events',
      value:
        'id: 1\nevent: turn_started\ndata: {"type":"turn_started","seq":1,"time":"2026-01-01T12:00:00.000Z","session_id":"ses_…","turn_id":"turn_…","format":"anthropic"}\n\n: still here\n\n',
    },
  },
};

const MESSAGE_REPLY: ReplyDocs = {
  description:
    'The turn has ended; with `Accept: text/event-stream` its events as they happen, up to `turn_completed` or `turn_discarded`. Faults of calls are results with `is_error`, never an HTTP error.',
  headers: ['ToolexecReplayed'],
  content: { 'application/json': { examples: REPLY_EXAMPLES }, 'text/event-stream': EVENT_STREAM },
};

const TURN_ACCEPTED = { '202': { description: 'It is under way; the turn as it stands now.' } };
const TOOLS_REPLIES = {
  '200': { description: 'Built-in tools by name, then external ones.', headers: ['ETag'] },
  '304': { description: 'The list is as it was.', headers: ['ETag'] },
} as const satisfies Record<string, ReplyDocs>;

const MCP_REPLY: ReplyDocs = {
  description: 'The answer, or a stream that ends with it.',
  content: { 'text/event-stream': { schema: { type: 'string' } } },
};

/** By method and path, as in the document. */
export const OPERATIONS: Readonly<Record<string, OperationDocs>> = {
  'POST /v1/sessions': {
    operationId: 'createSession',
    description: 'All keys are optional. Keys that are not known are refused, so that nothing is silently lost.',
    body: { examples: SESSION_EXAMPLES },
    replies: { '201': { headers: ['Location', 'ToolexecReplayed'] } },
  },
  'GET /v1/sessions': { operationId: 'listSessions' },
  'GET /v1/sessions/{id}': { operationId: 'getSession' },
  'PATCH /v1/sessions/{id}': {
    operationId: 'updateSession',
    description: 'A merge patch (RFC 7396): `null` takes a key back to its default. Holds from the next turn on.',
    body: {
      schema: { type: 'object', properties: Object.fromEntries(PATCHABLE.map((key) => [key, {}])), additionalProperties: false },
      examples: SESSION_PATCH_EXAMPLES,
    },
  },
  'DELETE /v1/sessions/{id}': {
    operationId: 'deleteSession',
    description: 'What runs is aborted. A directory that was made for the session goes with it; any other stays.',
  },
  'POST /v1/sessions/{id}/messages': {
    operationId: 'runMessage',
    description:
      'Takes one assistant message as a model API returned it; the format (`anthropic`, `openai_chat` or `openai_responses`) is recognised from the shape unless `format` names it. Results stand in the order of the calls.\n\nSafe to repeat: a message with the same calls (ids, names, inputs) as the newest turn of the session is not run again, but joins that turn or gets its results. Any other use of an id that was used before is refused with 409, unless `execution.call_ids` is `per_message`.\n\nA client that leaves does not cancel its turn.',
    headers: ['Prefer'],
    body: { examples: MESSAGE_EXAMPLES },
    replies: {
      '200': MESSAGE_REPLY,
      '202': {
        description: 'With `Prefer: respond-async`: the turn was taken in and can be read at `Location`.',
        headers: ['Location', 'PreferenceApplied', 'ToolexecReplayed'],
      },
    },
  },
  'POST /v1/messages': {
    operationId: 'runOneShotMessage',
    description:
      'As in a session, in one that is made for this message and removed after it. Its options stand in `session`. Each request makes a new one: send an `Idempotency-Key` to be able to repeat it.',
    body: { examples: ONE_SHOT_EXAMPLES },
    replies: { '200': MESSAGE_REPLY },
  },
  'GET /v1/sessions/{id}/turns': { operationId: 'listTurns' },
  'GET /v1/sessions/{id}/turns/{turn_id}': {
    operationId: 'getTurn',
    description: 'Live states while it runs; `messages` when it has ended.',
    headers: ['PreferWait'],
    replies: { '200': { content: { 'application/json': { examples: REPLY_EXAMPLES } } } },
  },
  'POST /v1/sessions/{id}/turns/{turn_id}/abort': {
    operationId: 'abortTurn',
    description: 'Each unfinished call gets an `is_error` result, and the turn ends as `aborted`.',
    body: {
      examples: { reason: { summary: 'With a reason, which the model reads', value: { reason: 'The user has changed their mind.' } } },
    },
    replies: TURN_ACCEPTED,
  },
  'POST /v1/sessions/{id}/turns/{turn_id}/discard': {
    operationId: 'discardTurn',
    description: 'For a model that fell back to another answer: the turn ends as `discarded` and has no `messages`.',
    replies: TURN_ACCEPTED,
  },
  'POST /v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/cancel': { operationId: 'cancelCall', replies: TURN_ACCEPTED },
  'GET /v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/output': {
    operationId: 'getCallOutput',
    description: 'Also while it grows, and in full where the result was cut.',
    headers: ['Range'],
    replies: {
      '200': { description: 'All of it, so far.', headers: ['AcceptRanges'], content: { 'text/plain': { schema: { type: 'string' } } } },
      '206': {
        description: 'The part that was asked for.',
        headers: ['AcceptRanges', 'ContentRange'],
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
    },
  },
  'POST /v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/background': {
    operationId: 'moveCallToBackground',
    description:
      'For a command that takes longer than anybody wants to wait: it goes on as a task, with the same output and without a time limit, and its call is answered with the id of the task. To abort the turn does not end it any more. A call whose tool cannot do that is left as it is, with 400; so is one when as many tasks run as may, with 429.',
    replies: TURN_ACCEPTED,
  },
  'POST /v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/resolve': {
    operationId: 'resolveCall',
    description:
      'For a call with outcome `outcome_unknown`: the service ended while it ran, and it may or may not have taken effect. Look, then say so (`ok`, `error`), or have it run again (`retry`), by all rules and hooks; the answer then comes when it has ended, or needs people. From then on this is the result of the call: a repeated message and the turn give the new one, and the log tells `call_finished`, `tool_result` and `turn_completed` of the turn once more; of several, the last counts. The same answer again changes nothing. A call whose outcome is known, or whose turn still runs, is left as it is, with 400.',
    body: {
      examples: {
        ok: { summary: 'It has taken effect', value: { as: 'ok', content: 'The commit is there: 3f2a1b0.' } },
        retry: { summary: 'Run it again', value: { as: 'retry' } },
      },
    },
    replies: { '200': { description: 'The call as it stands now, with its result.' } },
  },
  'GET /v1/sessions/{id}/tasks': {
    operationId: 'listTasks',
    description: 'The event `task_finished` tells when one has ended. After a restart of the service, tasks that ran then are `stopped`.',
  },
  'GET /v1/sessions/{id}/tasks/{task_id}': {
    operationId: 'getTask',
    description:
      'Also while it grows: ask again with `offset`, or a `Range`, for what has come since. The header `Toolexec-Task-Status` says whether more can come. As JSON, the task with as much of its output as one reply takes, and `next_offset` to go on from; what is asked for in the middle of a character begins with the next one.',
    headers: ['Range'],
    replies: {
      '200': { description: 'The output so far, from `offset` on; or the task with it.', headers: ['AcceptRanges', 'ToolexecTaskStatus'] },
      '206': {
        description: 'The part that was asked for.',
        headers: ['AcceptRanges', 'ContentRange', 'ToolexecTaskStatus'],
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
    },
  },
  'POST /v1/sessions/{id}/tasks/{task_id}/stop': {
    operationId: 'stopTask',
    description: 'To stop a task that has ended already is no error.',
    replies: { '200': { description: 'The task, which has ended.' } },
  },
  'POST /v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/result': {
    operationId: 'answerClientCall',
    description: 'For a client that runs tools of its own and has no socket open. The first answer counts: a second one finds no call.',
    replies: { '200': { description: 'The answer is in the log.' } },
  },
  'POST /v1/sessions/{id}/plan': {
    operationId: 'planMessage',
    description:
      'Takes what `messages` takes and runs nothing, hooks neither: how the calls would be batched, and what would be allowed, asked or denied.',
    body: { examples: MESSAGE_EXAMPLES },
  },
  'GET /v1/sessions/{id}/approvals': { operationId: 'listApprovals' },
  'POST /v1/sessions/{id}/approvals': {
    operationId: 'answerApprovals',
    replies: { '200': { description: 'All answers are in the log.' } },
  },
  'POST /v1/sessions/{id}/approvals/{approval_id}': {
    operationId: 'answerApproval',
    description: 'Changed input is coerced, validated and judged again. An approval is answered once: a second answer is refused with 409.',
    replies: { '200': { description: 'The answer is in the log.' } },
  },
  'GET /v1/sessions/{id}/audit': {
    operationId: 'readAudit',
    description: 'A reading of the log: one line for each decision, approval and call, with who, what and why.',
    replies: { '200': { description: 'JSON lines.', content: { 'application/x-ndjson': { schema: { type: 'string' } } } } },
  },
  'GET /v1/sessions/{id}/checkpoints': {
    operationId: 'listCheckpoints',
    description: 'One a turn that has written files through the file tools, the last 100. What commands write is not kept.',
  },
  'POST /v1/sessions/{id}/checkpoints/{checkpoint_id}/rewind': {
    operationId: 'rewind',
    description:
      'The files that this turn and later ones have written become what they were before it, also where somebody else has changed them since; files that the turns made are removed. With `dry_run` the same lists come back and nothing is changed. The model has to read a file again before it may change it. Refused with 409 while a turn runs or waits, unless it is a dry run.',
    replies: { '200': { description: 'What was done. Files that were in that state already are not listed.' } },
  },
  ...FILE_OPERATIONS,
  'POST /v1/sessions/{id}/tickets': {
    operationId: 'makeTicket',
    description:
      'For pages: a WebSocket or `EventSource` of a browser cannot send a key. The ticket opens `stream` or `events` of this session once, within its time.',
    replies: { '201': { description: 'Hand it on: it is shown this once.' } },
  },
  'GET /v1/sessions/{id}/events': {
    operationId: 'readEvents',
    description:
      'A stream of Server-Sent Events, unless `Accept` asks for `application/json` alone: first what is in the log after the given point, then what happens. A comment comes every 15 seconds, and a client that does not read for 30 is cut off. Where the log was trimmed, a `gap` event says so. `progress` is told live only: it has no `seq` and is not kept.',
    headers: ['LastEventId'],
    replies: {
      '200': {
        description: 'The events.',
        content: {
          'text/event-stream': EVENT_STREAM,
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                data: {
                  type: 'array',
                  items: schemaRef('LogEvent'),
                  description: 'At most 1000, and fewer where they are large; ask again with the last `seq` for more.',
                },
                last_seq: { type: 'integer', minimum: 0, description: '`seq` of the newest event in the log.' },
              },
              required: ['data', 'last_seq'],
            },
          },
        },
      },
    },
  },
  'POST /v1/call': {
    operationId: 'callTool',
    description:
      'A fault of the call is a result with `is_error`, never an HTTP error. Each request runs the tool anew: send an `Idempotency-Key` to be able to repeat it. A call that would have to be asked for is denied in a session of its own, and in a session with `session_id` it answers with `pending` and goes on waiting.',
    body: { examples: CALL_EXAMPLES },
    replies: {
      '200': {
        description: 'The call has ended, or waits for somebody.',
        headers: ['ToolexecReplayed'],
        content: { 'application/json': { examples: CALL_REPLY_EXAMPLES } },
      },
    },
  },
  'POST /mcp': {
    operationId: 'sendMcpMessage',
    description:
      'The Model Context Protocol over Streamable HTTP, revision 2026-07-28 and those before it. A client of the earlier revisions gets a connection with a session of its own, which ends with it; later ones have no connections, so each of their calls runs in a session made for it alone. With `session_id`, either works in that session.\n\nA call that must be asked for asks through the elicitation of the client; where the client has none, it is denied in a session of its own, and otherwise waits until somebody answers through this API.',
    replies: { '200': MCP_REPLY, '202': { description: 'A message that has no answer was taken.' } },
  },
  'GET /mcp': {
    operationId: 'openMcpStream',
    description: 'Server-Sent Events: what the server tells beside its answers, such as that the list of tools has changed.',
    replies: { '200': MCP_REPLY },
  },
  'DELETE /mcp': {
    operationId: 'endMcpConnection',
    description: 'What runs is cancelled, and the session that was made for the connection is removed.',
    replies: { '200': { description: 'It has ended.' } },
  },
  'GET /v1/tools': { operationId: 'listTools', headers: ['IfNoneMatch'], replies: TOOLS_REPLIES },
  'GET /v1/sessions/{id}/tools': { operationId: 'listSessionTools', headers: ['IfNoneMatch'], replies: TOOLS_REPLIES },
  'POST /v1/sessions/{id}/tools/search': {
    operationId: 'searchTools',
    description: 'What the search tool does for a model: tools that are found count as loaded from then on.',
  },
  'GET /healthz': { operationId: 'checkHealth' },
  'GET /readyz': {
    operationId: 'checkReadiness',
    description:
      'Fails while the service drains. A store that cannot be reached is told in the body, with 200: an outage that all nodes share must not empty the load balancer.',
  },
  'GET /metrics': {
    operationId: 'readMetrics',
    replies: { '200': { description: 'In the text format of Prometheus.', content: { 'text/plain': { schema: { type: 'string' } } } } },
  },
  'GET /problems/{slug}': { operationId: 'getProblem', description: 'The page that the `type` of a problem links to.' },
};
