// Made by client/generate.ts from openapi.yaml and asyncapi.yaml: change those and run it again.
/* oxlint-disable max-lines */

export type AssistantMessage = AnthropicMessage | OpenaiChatMessage | OpenaiResponsesMessage;
/**
 * A content block of the Anthropic Messages API.
 */
export type ContentBlock =
  | {
      type: 'text';
      text: string;
    }
  | {
      type: 'image';
      source: {
        type: 'base64';
        media_type: string;
        data: string;
      };
    }
  | {
      type: 'document';
      source: {
        type: 'base64';
        media_type: 'application/pdf';
        data: string;
      };
      title?: string;
    }
  | {
      type: 'tool_reference';
      tool_name: string;
    };
/**
 * An event of the session's log, or the gap where older ones were dropped.
 */
export type LogEvent =
  | TurnStartedEvent
  | CallQueuedEvent
  | CallStartedEvent
  | ApprovalRequestedEvent
  | ApprovalResolvedEvent
  | ClientCallEvent
  | CallFinishedEvent
  | ToolResultEvent
  | ContextChangedEvent
  | TurnCompletedEvent
  | TurnDiscardedEvent
  | TaskFinishedEvent
  | GapEvent;
/**
 * What to append to the conversation, in the format of the message: `conversation.push(...reply.messages)`.
 */
export type OutgoingMessage =
  | {
      role: 'user';
      content: ToolResult[];
    }
  | {
      role: 'tool';
      tool_call_id: string;
      content: string;
    }
  | {
      role: 'user';
      content: (
        | {
            type: 'text';
            text: string;
          }
        | {
            type: 'image_url';
            image_url: {
              url: string;
            };
          }
      )[];
    }
  | {
      type: 'function_call_output';
      call_id: string;
      output: string;
    };
/**
 * A message of JSON-RPC 2.0, as the Model Context Protocol defines it.
 */
export type McpMessage =
  | {
      [k: string]: unknown;
    }
  | unknown[];
export type OneShotMessage = AnthropicMessage | OpenaiChatMessage | OpenaiResponsesMessage;
/**
 * Whether commands are shut in: by a sandbox of the service, by what is around it, or by nothing, and why.
 */
export type Sandbox =
  | {
      mode: 'on' | 'external';
    }
  | {
      mode: 'off';
      reason: string;
    };
/**
 * The `data` of a Server-Sent Event; its `id` is `seq` and its `event` is `type`.
 */
export type StreamEvent =
  | TurnStartedEvent
  | CallQueuedEvent
  | CallStartedEvent
  | ApprovalRequestedEvent
  | ApprovalResolvedEvent
  | ClientCallEvent
  | CallFinishedEvent
  | ToolResultEvent
  | ContextChangedEvent
  | TurnCompletedEvent
  | TurnDiscardedEvent
  | TaskFinishedEvent
  | ProgressEvent
  | GapEvent;

/**
 * Interrupt the turn; each unfinished call gets its error result.
 */
export interface AbortFrame {
  type: 'abort';
  reason?: string;
  /**
   * The turn that is meant; the socket's newest unfinished one when absent.
   */
  turn_id?: string;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * A frame that carried `ref` was taken.
 */
export interface AckEvent {
  type: 'ack';
  /**
   * As the frame brought it.
   */
  ref: unknown;
}
/**
 * A message of the Anthropic Messages API.
 */
export interface AnthropicMessage {
  role: 'assistant';
  content: {
    /**
     * `tool_use`; blocks of other types are passed over.
     */
    type: string;
    id?: string;
    name?: string;
    input: unknown;
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
/**
 * A stream event of the Anthropic Messages API, unchanged. A `tool_use` block starts when its `content_block_stop` arrives, and `message_stop` ends the input of the turn. Types that are not known are ignored between `message_start` and `message_stop`.
 */
export interface AnthropicStreamEvent {
  type:
    | 'message_start'
    | 'content_block_start'
    | 'content_block_delta'
    | 'content_block_stop'
    | 'message_delta'
    | 'message_stop'
    | 'ping'
    | 'error';
  [k: string]: unknown;
}
/**
 * A call that waits for a person.
 */
export interface Approval {
  id: string;
  tool_use_id: string;
  name: string;
  input: unknown;
  reason: string;
  suggestions: {
    rule: string;
  }[];
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  expires_at: string;
}
export interface ApprovalAnswered {
  approval_id: string;
  behavior: 'allow' | 'deny';
}
export interface ApprovalDecision {
  behavior: 'allow' | 'deny';
  /**
   * With `allow`: the whole input that the call is to run with.
   */
  updated_input?: {
    [k: string]: unknown;
  };
  /**
   * With `deny`: what the model is told.
   */
  message?: string;
  /**
   * The first suggested rule becomes one of the session.
   */
  remember?: 'session';
  /**
   * Suggested rules, by index, that become rules of the session.
   */
  apply_suggestions?: number[];
  type?: 'approval';
  ref?: unknown;
  /**
   * Id of the approval.
   */
  approval_id?: string;
}
/**
 * Answers `approval_requested`.
 */
export interface ApprovalFrame {
  type: 'approval';
  approval_id: string;
  behavior: 'allow' | 'deny';
  /**
   * With `allow`: the whole input that the call is to run with.
   */
  updated_input?: {
    [k: string]: unknown;
  };
  /**
   * With `deny`: what the model is told.
   */
  message?: string;
  /**
   * The first suggested rule becomes one of the session.
   */
  remember?: 'session';
  /**
   * Suggested rules, by index, that become rules of the session.
   */
  apply_suggestions?: number[];
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * A call waits for a person.
 */
export interface ApprovalRequestedEvent {
  type: 'approval_requested';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  approval: Approval;
}
/**
 * Somebody, or the clock, has answered.
 */
export interface ApprovalResolvedEvent {
  type: 'approval_resolved';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  approval_id: string;
  behavior: 'allow' | 'deny';
  by: string;
}
/**
 * A message of OpenAI Chat Completions.
 */
export interface OpenaiChatMessage {
  role: 'assistant';
  tool_calls: {
    id: string;
    type?: 'function';
    function: {
      name: string;
      /**
       * JSON as text, as the model wrote it.
       */
      arguments: string;
      [k: string]: unknown;
    };
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
/**
 * A response of OpenAI Responses.
 */
export interface OpenaiResponsesMessage {
  output: {
    /**
     * `function_call`; items of other types are passed over.
     */
    type: string;
    call_id?: string;
    name?: string;
    /**
     * JSON as text, as the model wrote it.
     */
    arguments?: string;
    [k: string]: unknown;
  }[];
  [k: string]: unknown;
}
export interface AssistantMessage1 {
  [k: string]: unknown;
}
/**
 * Let this running call go on as a task in the background: it is answered at once.
 */
export interface BackgroundFrame {
  type: 'background';
  tool_use_id: string;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
export interface Call {
  tool_use_id: string;
  name: string;
  state: 'queued' | 'executing' | 'completed' | 'yielded';
  /**
   * `null` until the call has ended.
   */
  outcome:
    | (
        | 'ok'
        | 'tool_error'
        | 'invalid_input'
        | 'unknown_tool'
        | 'denied'
        | 'cancelled_sibling'
        | 'aborted'
        | 'timed_out'
        | 'discarded'
        | 'outcome_unknown'
      )
    | null;
  is_error: boolean;
  /**
   * Index into `batches`; `null` until the call is partitioned.
   */
  batch: number | null;
  /**
   * Whole milliseconds.
   */
  queued_ms: number;
  /**
   * Whole milliseconds.
   */
  duration_ms: number;
  waiting_for?: 'approval' | 'client';
  /**
   * Paths of the values that were repaired to fit the schema of the tool.
   */
  coerced?: string[];
  /**
   * How its outcome, which was unknown, was settled.
   */
  resolved?: 'retry' | 'ok' | 'error';
}
/**
 * A call has ended: told as it happens, before its `tool_result`.
 */
export interface CallFinishedEvent {
  type: 'call_finished';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  tool_use_id: string;
  outcome:
    | 'ok'
    | 'tool_error'
    | 'invalid_input'
    | 'unknown_tool'
    | 'denied'
    | 'cancelled_sibling'
    | 'aborted'
    | 'timed_out'
    | 'discarded'
    | 'outcome_unknown';
  is_error: boolean;
  /**
   * Whole milliseconds.
   */
  duration_ms: number;
  /**
   * Whole milliseconds.
   */
  queued_ms: number;
  decision?: Decision;
  /**
   * How its outcome, which was unknown, was settled.
   */
  resolved?: 'retry' | 'ok' | 'error';
}
/**
 * Whether a call may run, and who said so.
 */
export interface Decision {
  behavior: 'allow' | 'ask' | 'deny';
  /**
   * A mode, a rule, a hook, the tool, an approval, or the policy where something failed.
   */
  decided_by: string;
  /**
   * Text of the rule, when one decided.
   */
  rule?: string;
  /**
   * Present unless the call was allowed.
   */
  reason?: string;
}
/**
 * A call was taken in, in the order of the calls.
 */
export interface CallQueuedEvent {
  type: 'call_queued';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  tool_use_id: string;
  /**
   * Place of the call in the message.
   */
  index: number;
  name: string;
  /**
   * As the model sent it.
   */
  input: unknown;
  batch: number;
  concurrent: boolean;
  /**
   * Paths of the values that were repaired.
   */
  coerced?: string[];
}
/**
 * What became of a call.
 */
export interface CallReply {
  /**
   * What the tool says: text, or blocks. `null` while it waits for somebody.
   */
  result: (string | ContentBlock[]) | null;
  is_error: boolean;
  /**
   * How the call has ended. `null` while it waits for somebody.
   */
  outcome:
    | (
        | 'ok'
        | 'tool_error'
        | 'invalid_input'
        | 'unknown_tool'
        | 'denied'
        | 'cancelled_sibling'
        | 'aborted'
        | 'timed_out'
        | 'discarded'
        | 'outcome_unknown'
      )
    | null;
  /**
   * Paths of the values that were repaired to fit the schema of the tool.
   */
  coerced: string[];
  /**
   * Where the call is found again, in a session that stays.
   */
  turn_id?: string;
  /**
   * Set when people or the client must do something first. Do it, then read the turn, or repeat this request with its `Idempotency-Key`: it joins the call.
   */
  pending?: (
    | {
        id: string;
        tool_use_id: string;
        name: string;
        input: unknown;
        reason: string;
        suggestions: {
          rule: string;
        }[];
        /**
         * RFC 3339, UTC, with milliseconds.
         */
        expires_at: string;
        type: 'approval';
      }
    | {
        type: 'client_call';
        tool_use_id: string;
        name: string;
        input: unknown;
      }
  )[];
}
export interface CallRequest {
  /**
   * Name of the tool. One that the session does not have is answered as any other call, with an error.
   */
  name: string;
  /**
   * What the tool takes: an object, or its JSON text. What is absent is `{}`.
   */
  arguments?: {} | string | null;
  /**
   * Where to run it. In a session made for this call and removed after it, when absent.
   */
  session_id?: string;
  session?: SessionOptions;
}
/**
 * What a client may set of a session. All keys are optional; unknown ones are refused.
 */
export interface SessionOptions {
  /**
   * A directory under one of the operator's roots. Without it the session gets a fresh one, which goes with it.
   */
  workspace?: {
    path: string;
  };
  /**
   * `mode` decides what runs without being asked for. `additional_dirs` are directories beside the workspace that may be written to. `ask_timeout_ms`: how long a call waits for an approval before it is denied.
   */
  permissions?: {
    mode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions' | 'auto';
    allow?: string[];
    ask?: string[];
    deny?: string[];
    additional_dirs?: string[];
    ask_timeout_ms?: number;
  };
  /**
   * Where commands run. `auto` takes a sandbox where there is one; `required` refuses to run without.
   */
  sandbox?: {
    mode?: 'off' | 'auto' | 'required';
    auto_allow_bash?: boolean;
    network?: {
      allowed_domains?: string[];
    };
  };
  /**
   * Names of the tools that the session has (`include`, all when `null`, custom tools and those of MCP servers among them) and has not (`exclude`). `search`: whether tools are deferred until a model searches for them; `auto`: those from outside, once they fill a tenth of the context. `custom`: tools that the session brings along.
   */
  tools?: {
    include?: string[] | null;
    exclude?: string[];
    search?: 'on' | 'off' | 'auto';
    custom?: {
      name: string;
      description: string;
      /**
       * JSON Schema of an object.
       */
      input_schema: {
        [k: string]: unknown;
      };
      annotations?: {
        /**
         * It changes nothing: it then runs without a question, and again after a crash.
         */
        read_only?: boolean;
        /**
         * It may remove or overwrite what cannot be brought back.
         */
        destructive?: boolean;
        /**
         * It may run beside other calls. Absent: as `read_only`.
         */
        concurrency_safe?: boolean;
        /**
         * A second call with the same input changes nothing more: it then may run again after a crash.
         */
        idempotent?: boolean;
        /**
         * All files that it touches, absolute or from the workspace. Empty lists: none.
         */
        footprint?: {
          reads?: string[];
          writes?: string[];
        };
      };
      /**
       * True: the model gets the schema only when it looks for the tool. False: always.
       */
      defer?: boolean;
      /**
       * The service calls it.
       */
      http?: {
        /**
         * Judged when it is called: only public addresses are reached.
         */
        url: string;
        method?: 'POST' | 'PUT' | 'PATCH';
        headers?: {
          [k: string]: string;
        };
        /**
         * Milliseconds until the whole answer must be there.
         */
        timeout_ms?: number;
      };
      /**
       * The client runs it.
       */
      client?: true;
    }[];
  };
  /**
   * MCP servers by name; their tools are called `mcp__<server>__<tool>`. Programs run in the sandbox, from the workspace. They are connected when their tools are asked for or called.
   */
  mcp_servers?: {
    [k: string]:
      | {
          type: 'stdio';
          /**
           * A path from the workspace, or a name to look up.
           */
          command: string;
          args?: string[];
          env?: {
            [k: string]: string;
          };
          /**
           * The directory to start in; a relative path begins at the workspace.
           */
          cwd?: string;
          /**
           * Milliseconds that one call may take.
           */
          timeout_ms?: number;
        }
      | {
          type: 'http';
          url: string;
          headers?: {
            [k: string]: string;
          };
          /**
           * Milliseconds that one call may take.
           */
          timeout_ms?: number;
        };
  };
  /**
   * `max_concurrency` bounds the calls in flight. `on_tool_error`: whether a failing command stops the other commands of its batch. `on_disconnect`: whether the turn of a socket goes on without it. `call_ids`: `per_message` is for models that repeat ids. `input_idle_ms`: how long an open turn waits for its next frame.
   */
  execution?: {
    max_concurrency?: number;
    schedule?: 'partition' | 'dependencies';
    on_tool_error?: 'cancel_siblings' | 'continue';
    on_disconnect?: 'continue' | 'abort';
    call_ids?: 'unique' | 'per_message';
    input_idle_ms?: number;
  };
  /**
   * Hooks of type `http`, by event: they run beside the operator's and can only tighten.
   */
  hooks?: {
    [k: string]: unknown;
  };
  /**
   * Variables that commands get. Those that change how programs load or are judged (`PATH`, `LD_*`, `GIT_*`, …) are refused.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * The client's own; given back as it is.
   */
  metadata?: {
    [k: string]: unknown;
  };
  /**
   * How long the session lives after it was last used.
   */
  ttl_ms?: number;
}
/**
 * A call was allowed and runs.
 */
export interface CallStartedEvent {
  type: 'call_started';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  tool_use_id: string;
  name: string;
  batch: number;
  /**
   * True when other calls of its batch may run beside it.
   */
  concurrent: boolean;
  /**
   * Coerced and valid, with what the tool adds for observers.
   */
  input: unknown;
  view: View;
  decision: Decision;
  /**
   * What the call does to the world: only `once` never runs twice.
   */
  effect: 'read' | 'idempotent' | 'probe' | 'once';
  /**
   * Paths of the values that were repaired to fit the schema of the tool.
   */
  coerced?: string[];
  /**
   * What the tool notes of the call, to tell after a crash whether it took effect, such as digests of a file.
   */
  intent?: {
    [k: string]: string | number | null;
  };
}
/**
 * A picture of a call, to draw it without knowing its tool.
 */
export interface View {
  title: string;
  subtitle?: string;
  body?:
    | {
        kind: 'text';
        text: string;
      }
    | {
        kind: 'markdown';
        text: string;
      }
    | {
        kind: 'terminal';
        text: string;
      }
    | {
        kind: 'diff';
        path: string;
        /**
         * Unified diff.
         */
        diff: string;
      }
    | {
        kind: 'table';
        columns: string[];
        rows: string[][];
      }
    | {
        kind: 'list';
        items: string[];
      };
  collapsed?: boolean;
}
/**
 * Stop this call alone.
 */
export interface CancelFrame {
  type: 'cancel';
  tool_use_id: string;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * A turn that has written files, and how they were before it.
 */
export interface Checkpoint {
  id: string;
  /**
   * The turn that wrote the files.
   */
  turn_id: string;
  /**
   * When it first wrote.
   */
  created_at: string;
  /**
   * Items: Relative to the workspace, or absolute in another directory.
   */
  files: string[];
}
/**
 * The client is asked to run one of its own tools, and to answer with `client_result`.
 */
export interface ClientCallEvent {
  type: 'client_call';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  tool_use_id: string;
  name: string;
  input: unknown;
}
/**
 * Progress of a client call.
 */
export interface ClientProgressFrame {
  type: 'client_progress';
  tool_use_id: string;
  data: unknown;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
export interface ClientResult {
  /**
   * Text, or blocks: text, image (base64), document (base64 PDF).
   */
  content:
    | string
    | (
        | {
            type: 'text';
            text: string;
          }
        | {
            type: 'image';
            source: {
              type: 'base64';
              media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
              data: string;
            };
          }
        | {
            type: 'document';
            source: {
              type: 'base64';
              media_type: 'application/pdf';
              data: string;
            };
            title?: string;
          }
      )[];
  /**
   * The text is then made safe for the model, as that of all errors is.
   */
  is_error?: boolean;
}
/**
 * Answers `client_call`.
 */
export interface ClientResultFrame {
  type: 'client_result';
  tool_use_id: string;
  /**
   * Text, or blocks: text, image (base64), document (base64 PDF).
   */
  content:
    | string
    | (
        | {
            type: 'text';
            text: string;
          }
        | {
            type: 'image';
            source: {
              type: 'base64';
              media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
              data: string;
            };
          }
        | {
            type: 'document';
            source: {
              type: 'base64';
              media_type: 'application/pdf';
              data: string;
            };
            title?: string;
          }
      )[];
  /**
   * The text is then made safe for the model, as that of all errors is.
   */
  is_error?: boolean;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * Calls have changed the state of the session.
 */
export interface ContextChangedEvent {
  type: 'context_changed';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  changes: {
    cwd?: string;
    mode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions' | 'auto';
    todos?: Todo[];
    loaded_tools?: string[];
    mode_before?: ('default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions' | 'auto') | null;
    task_list_last?: number;
    task_list?: TaskItem[];
    schedules?: Schedule[];
    grants?: string[];
  };
}
export interface Todo {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  /**
   * What to say while it is in progress.
   */
  activeForm: string;
}
/**
 * Something that the model plans to do.
 */
export interface TaskItem {
  id: string;
  subject: string;
  description: string;
  activeForm?: string;
  status: 'pending' | 'in_progress' | 'completed';
  owner?: string;
  blocks: string[];
  blockedBy: string[];
  metadata?: {
    [k: string]: unknown;
  };
}
/**
 * A prompt that an agent is given whenever its time has come.
 */
export interface Schedule {
  id: string;
  cron: string;
  prompt: string;
  recurring: boolean;
  createdAt: number;
}
/**
 * A page of what a directory holds.
 */
export interface Directory {
  /**
   * Relative to the workspace; empty for the workspace itself.
   */
  path: string;
  /**
   * In the order of code points.
   */
  data: FileEntry[];
  next_cursor?: string;
}
/**
 * Something in a directory of the workspace.
 */
export interface FileEntry {
  name: string;
  /**
   * Links are not followed. `other`: a pipe, a socket, a device.
   */
  type: 'file' | 'directory' | 'link' | 'other';
  /**
   * Bytes.
   */
  size: number;
  modified_at: string;
}
/**
 * Drop the turn and all its results.
 */
export interface DiscardFrame {
  type: 'discard';
  /**
   * The turn that is meant; the socket's newest unfinished one when absent.
   */
  turn_id?: string;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * No more calls in this turn.
 */
export interface EndFrame {
  type: 'end';
  /**
   * The turn that is meant; the socket's newest unfinished one when absent.
   */
  turn_id?: string;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * A frame could not be taken. Nothing else is lost, and the socket stays open.
 */
export interface ErrorEvent {
  type: 'error';
  problem: Problem;
  /**
   * As the frame brought it.
   */
  ref?: unknown;
}
/**
 * RFC 9457 problem details. A fault of a tool call is never one of these: it is a `tool_result` with `is_error`.
 */
export interface Problem {
  /**
   * `/problems/<slug>`: stable, and a page that says what to do.
   */
  type: string;
  title: string;
  /**
   * The HTTP status.
   */
  status: number;
  /**
   * What is wrong here and what to change.
   */
  detail: string;
  /**
   * Id of the request, as it stands in the log of the service.
   */
  instance?: string;
  /**
   * What is wrong with which value.
   */
  errors?: {
    /**
     * Dotted path of the value.
     */
    path: string;
    message: string;
  }[];
}
/**
 * Events of the log that are no longer kept, both ends included.
 */
export interface GapEvent {
  type: 'gap';
  from: number;
  to: number;
}
/**
 * A turn begins to run.
 */
export interface TurnStartedEvent {
  type: 'turn_started';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  format: 'anthropic' | 'openai_chat' | 'openai_responses';
}
/**
 * The result of a call, strictly in the order of the calls.
 */
export interface ToolResultEvent {
  type: 'tool_result';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  /**
   * Place of the call in the message.
   */
  index: number;
  tool_use_id: string;
  name: string;
  outcome:
    | 'ok'
    | 'tool_error'
    | 'invalid_input'
    | 'unknown_tool'
    | 'denied'
    | 'cancelled_sibling'
    | 'aborted'
    | 'timed_out'
    | 'discarded'
    | 'outcome_unknown';
  result: ToolResult;
  view: View;
}
/**
 * What goes back to the model: exactly one for each call.
 */
export interface ToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string | ContentBlock[];
  is_error: boolean;
}
/**
 * The last event of a turn.
 */
export interface TurnCompletedEvent {
  type: 'turn_completed';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  messages: OutgoingMessage[];
  turn: Turn;
}
/**
 * One assistant message being run, or having been run.
 */
export interface Turn {
  id: string;
  status: 'queued' | 'running' | 'requires_action' | 'completed' | 'aborted' | 'discarded';
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  created_at: string;
  /**
   * Whole milliseconds.
   */
  duration_ms: number;
  /**
   * `seq` of its last event; 0 until it has ended.
   */
  last_seq: number;
  /**
   * Why the turn ended by itself, such as `input_lost`.
   */
  stop: {
    reason: string;
  } | null;
  batches: {
    concurrent: boolean;
    tool_use_ids: string[];
  }[];
  /**
   * Calls of one tool in one concurrent batch, drawn together. Of a turn that has ended.
   */
  groups?: {
    batch: number;
    name: string;
    tool_use_ids: string[];
    view: View;
  }[];
  /**
   * In the order of the message.
   */
  calls: Call[];
}
/**
 * The last event of a turn whose results were dropped.
 */
export interface TurnDiscardedEvent {
  type: 'turn_discarded';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  turn: Turn;
}
/**
 * A background task has ended.
 */
export interface TaskFinishedEvent {
  type: 'task_finished';
  /**
   * Place in the session's log: counts from 1 without a gap.
   */
  seq: number;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  task: Task;
}
/**
 * A background task.
 */
export interface Task {
  id: string;
  kind: 'command' | 'agent';
  status: 'running' | 'completed' | 'failed' | 'stopped';
  command?: string;
  description?: string;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  started_at: string;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  ended_at?: string;
  exit_code?: number;
  output_bytes: number;
}
/**
 * A message of JSON-RPC 2.0, or a stream of such messages.
 */
export interface McpReply {
  [k: string]: unknown;
}
/**
 * A whole assistant message: one turn.
 */
export interface MessageFrame {
  type: 'message';
  message: unknown;
  format?: string;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * What became of a message.
 */
export interface MessageReply {
  /**
   * In the order of the calls. Empty until the turn has ended.
   */
  messages: OutgoingMessage[];
  turn: Turn;
  /**
   * With status `requires_action`: what is waited for. Answer it, then send the same message again, or read the turn.
   */
  pending?: (
    | {
        id: string;
        tool_use_id: string;
        name: string;
        input: unknown;
        reason: string;
        suggestions: {
          rule: string;
        }[];
        /**
         * RFC 3339, UTC, with milliseconds.
         */
        expires_at: string;
        type: 'approval';
      }
    | {
        type: 'client_call';
        tool_use_id: string;
        name: string;
        input: unknown;
      }
  )[];
}
export interface OneShotMessage1 {
  session?: SessionOptions;
  [k: string]: unknown;
}
/**
 * A call that waits for a person, as the first frame of a socket shows it.
 */
export interface OpenApproval {
  id: string;
  tool_use_id: string;
  name: string;
  input: unknown;
  reason: string;
  suggestions: {
    rule: string;
  }[];
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  expires_at: string;
  /**
   * `input` is a shortened copy: `GET /v1/sessions/:id/approvals` has the whole.
   */
  input_shortened?: true;
}
/**
 * The first frame of a socket that makes its own session: the options of the session.
 */
export interface OpenFrame {
  type: 'open';
  session?: SessionOptions;
}
/**
 * A turn that runs or waits, with all it takes to draw it.
 */
export interface OpenTurn {
  id: string;
  status: 'queued' | 'running' | 'requires_action' | 'completed' | 'aborted' | 'discarded';
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  created_at: string;
  /**
   * Whole milliseconds.
   */
  duration_ms: number;
  /**
   * `seq` of its last event; 0 until it has ended.
   */
  last_seq: number;
  /**
   * Why the turn ended by itself, such as `input_lost`.
   */
  stop: {
    reason: string;
  } | null;
  batches: {
    concurrent: boolean;
    tool_use_ids: string[];
  }[];
  /**
   * Calls of one tool in one concurrent batch, drawn together. Of a turn that has ended.
   */
  groups?: {
    batch: number;
    name: string;
    tool_use_ids: string[];
    view: View;
  }[];
  calls: {
    tool_use_id: string;
    name: string;
    state: 'queued' | 'executing' | 'completed' | 'yielded';
    /**
     * `null` until the call has ended.
     */
    outcome:
      | (
          | 'ok'
          | 'tool_error'
          | 'invalid_input'
          | 'unknown_tool'
          | 'denied'
          | 'cancelled_sibling'
          | 'aborted'
          | 'timed_out'
          | 'discarded'
          | 'outcome_unknown'
        )
      | null;
    is_error: boolean;
    /**
     * Index into `batches`; `null` until the call is partitioned.
     */
    batch: number | null;
    /**
     * Whole milliseconds.
     */
    queued_ms: number;
    /**
     * Whole milliseconds.
     */
    duration_ms: number;
    waiting_for?: 'approval' | 'client';
    /**
     * Paths of the values that were repaired to fit the schema of the tool.
     */
    coerced?: string[];
    /**
     * How its outcome, which was unknown, was settled.
     */
    resolved?: 'retry' | 'ok' | 'error';
    /**
     * As the model sent it.
     */
    input: unknown;
    /**
     * `input` is a shortened copy: the whole is in the `call_queued` event of the call.
     */
    input_shortened?: true;
    /**
     * Without its body where that is large.
     */
    view: View;
  }[];
}
/**
 * A chunk of OpenAI Chat Completions, unchanged. A call starts when the next one begins or `finish_reason` comes, which ends the input of the turn.
 */
export interface OpenaiChatChunk {
  object: 'chat.completion.chunk';
  [k: string]: unknown;
}
/**
 * A stream event of OpenAI Responses, unchanged. A call starts at its `response.output_item.done`, and `response.completed` ends the input of the turn.
 */
export interface OpenaiResponsesEvent {
  type: string;
  [k: string]: unknown;
}
/**
 * Answered by `pong`.
 */
export interface PingFrame {
  type: 'ping';
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * What a message would do.
 */
export interface Plan {
  batches: {
    concurrent: boolean;
    tool_use_ids: string[];
  }[];
  calls: {
    tool_use_id: string;
    name: string;
    /**
     * As the tool would get it; as it was sent where it is not valid.
     */
    input: unknown;
    /**
     * Paths of the values that were repaired.
     */
    coerced: string[];
    valid: boolean;
    error?: string;
    concurrency_safe: boolean;
    read_only: boolean;
    destructive: boolean;
    effect: 'read' | 'idempotent' | 'probe' | 'once';
    permission: Decision;
  }[];
}
/**
 * Answers `ping`.
 */
export interface PongEvent {
  type: 'pong';
  /**
   * As the frame brought it.
   */
  ref?: unknown;
}
/**
 * A running call tells how it goes on. A slow reader gets fewer of these.
 */
export interface ProgressEvent {
  type: 'progress';
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  time: string;
  session_id: string;
  turn_id?: string;
  tool_use_id: string;
  view?: View;
  /**
   * Such as `{"kind":"output","stream":"stdout","offset":0,"text":"…"}`; `offset` counts bytes of the output.
   */
  data: unknown;
}
export interface ResolveRequest {
  /**
   * `retry`: run it again. `ok`: it has taken effect. `error`: it has not, and is not to be tried again.
   */
  as: 'retry' | 'ok' | 'error';
  /**
   * With `ok` and `error`: what the model reads.
   */
  content?:
    | string
    | (
        | {
            type: 'text';
            text: string;
          }
        | {
            type: 'image';
            source: {
              type: 'base64';
              media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
              data: string;
            };
          }
        | {
            type: 'document';
            source: {
              type: 'base64';
              media_type: 'application/pdf';
              data: string;
            };
            title?: string;
          }
      )[];
}
/**
 * What a rewind has done, or would do.
 */
export interface Rewind {
  /**
   * Files that have their former content and mode again.
   *
   * Items: Relative to the workspace, or absolute in another directory.
   */
  restored: string[];
  /**
   * Files that did not exist before.
   *
   * Items: Relative to the workspace, or absolute in another directory.
   */
  removed: string[];
  /**
   * Files that were left as they are, and why.
   */
  skipped: {
    /**
     * Relative to the workspace, or absolute in another directory.
     */
    path: string;
    reason: string;
  }[];
}
export interface Session {
  id: string;
  object: 'session';
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  created_at: string;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  updated_at: string;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  expires_at: string;
  status: 'idle' | 'running' | 'closed';
  workspace: {
    /**
     * Absolute path on the machine of the service.
     */
    path: string;
    /**
     * True when the directory was made for the session and goes with it.
     */
    ephemeral: boolean;
  };
  /**
   * Where commands start; always inside the workspace.
   */
  cwd: string;
  /**
   * `mode` decides what runs without being asked for. `additional_dirs` are directories beside the workspace that may be written to. `ask_timeout_ms`: how long a call waits for an approval before it is denied.
   */
  permissions: {
    mode: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions' | 'auto';
    allow: string[];
    ask: string[];
    deny: string[];
    additional_dirs: string[];
    ask_timeout_ms: number;
  };
  /**
   * `max_concurrency` bounds the calls in flight. `on_tool_error`: whether a failing command stops the other commands of its batch. `on_disconnect`: whether the turn of a socket goes on without it. `call_ids`: `per_message` is for models that repeat ids. `input_idle_ms`: how long an open turn waits for its next frame.
   */
  execution: {
    max_concurrency: number;
    schedule: 'partition' | 'dependencies';
    on_tool_error: 'cancel_siblings' | 'continue';
    on_disconnect: 'continue' | 'abort';
    call_ids: 'unique' | 'per_message';
    input_idle_ms: number;
  };
  sandbox: Sandbox;
  tools: {
    /**
     * Changes when the list of tools does.
     */
    hash: string;
  };
  /**
   * The client's own; given back as it is.
   */
  metadata: {
    [k: string]: unknown;
  };
  todos: Todo[];
  /**
   * `seq` of the newest event in the log.
   */
  last_seq: number;
  /**
   * Of an agent's session: the call that wants it, and its session.
   */
  parent?: {
    session_id: string;
    turn_id: string;
    tool_use_id: string;
  };
}
/**
 * The first frame of a socket: enough to draw the session after a reload.
 */
export interface SessionEvent {
  type: 'session';
  protocol: 1;
  session: Session;
  tools: {
    hash: string;
    count: number;
  };
  open_turns: OpenTurn[];
  approvals: OpenApproval[];
}
export interface SettledCall {
  tool_use_id: string;
  name: string;
  state: 'queued' | 'executing' | 'completed' | 'yielded';
  /**
   * `null` until the call has ended.
   */
  outcome:
    | (
        | 'ok'
        | 'tool_error'
        | 'invalid_input'
        | 'unknown_tool'
        | 'denied'
        | 'cancelled_sibling'
        | 'aborted'
        | 'timed_out'
        | 'discarded'
        | 'outcome_unknown'
      )
    | null;
  is_error: boolean;
  /**
   * Index into `batches`; `null` until the call is partitioned.
   */
  batch: number | null;
  /**
   * Whole milliseconds.
   */
  queued_ms: number;
  /**
   * Whole milliseconds.
   */
  duration_ms: number;
  waiting_for?: 'approval' | 'client';
  /**
   * Paths of the values that were repaired to fit the schema of the tool.
   */
  coerced?: string[];
  /**
   * How its outcome, which was unknown, was settled.
   */
  resolved?: 'retry' | 'ok' | 'error';
  turn_id: string;
  /**
   * What the model reads; `null` while the call has not ended.
   */
  content: (string | ContentBlock[]) | null;
  /**
   * With `retry`: what people or the client must do before the call can go on.
   */
  pending?: (
    | {
        id: string;
        tool_use_id: string;
        name: string;
        input: unknown;
        reason: string;
        suggestions: {
          rule: string;
        }[];
        /**
         * RFC 3339, UTC, with milliseconds.
         */
        expires_at: string;
        type: 'approval';
      }
    | {
        type: 'client_call';
        tool_use_id: string;
        name: string;
        input: unknown;
      }
  )[];
}
/**
 * This socket runs these client tools.
 */
export interface SubscribeFrame {
  type: 'subscribe';
  client_tools: string[];
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
export interface TaskOutput {
  id: string;
  kind: 'command' | 'agent';
  status: 'running' | 'completed' | 'failed' | 'stopped';
  command?: string;
  description?: string;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  started_at: string;
  /**
   * RFC 3339, UTC, with milliseconds.
   */
  ended_at?: string;
  exit_code?: number;
  output_bytes: number;
  /**
   * What was put out from `offset` on, in whole characters: at most 1 MB of it.
   */
  output: string;
  /**
   * Where `output` begins, in bytes.
   */
  offset: number;
  /**
   * Where the next request goes on.
   */
  next_offset: number;
}
export interface Ticket {
  /**
   * Goes into `?ticket=` of the session's `stream` or `events`, once.
   */
  ticket: string;
  scope: 'watch' | 'drive';
  expires_at: string;
}
export interface ToolList {
  tools: {
    [k: string]: unknown;
  }[];
  /**
   * Changes with the tools, and when deferred ones are loaded.
   */
  hash: string;
  /**
   * Tools that a model must search for first, loaded or not: tell it their names. In the format `anthropic` they are in `tools` with `defer_loading`; in the others only those that are loaded.
   */
  deferred?: {
    name: string;
    search_hint: string;
  }[];
  /**
   * MCP servers whose tools belong to the session, and why one has none.
   */
  servers?: {
    name: string;
    state: 'idle' | 'connecting' | 'ready' | 'failed';
    reason?: string;
  }[];
}
export interface ToolMatches {
  /**
   * Best first.
   */
  matches: {
    name: string;
    description: string;
    input_schema: {
      [k: string]: unknown;
    };
    /**
     * The tool had to be searched for; it counts as loaded from now on.
     */
    deferred: boolean;
  }[];
  /**
   * What was not found, and servers whose tools are not there.
   */
  notes: string[];
}
/**
 * One call: it may start at once. The first one opens a turn.
 */
export interface ToolUseFrame {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
  /**
   * Comes back in `ack` or `error`.
   */
  ref?: string | number;
  [k: string]: unknown;
}
/**
 * What was taken from an archive.
 */
export interface Unpacked {
  /**
   * Files and links that were written.
   */
  files: number;
  /**
   * Bytes of the files.
   */
  bytes: number;
}
/**
 * A file as it was written.
 */
export interface WrittenFile {
  /**
   * Relative to the workspace.
   */
  path: string;
  /**
   * Bytes.
   */
  size: number;
  etag: string;
}
