// Shapes that several routes share. Replies are documented by them and sent as they are.
import { z } from 'zod';
import { CALL_STATES, OUTCOMES, TURN_STATUSES } from '../src/contract/index.ts';
import { SessionOptions } from '../src/sessions/session-options.ts';

export const SessionParams = z.object({ id: z.string().max(100).describe('Id of the session.') });
export const TurnParams = SessionParams.extend({ turn_id: z.string().max(100).describe('Id of the turn.') });
export const CallParams = TurnParams.extend({ tool_use_id: z.string().max(256).describe('Id of the call.') });

export const PageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});

export const ProblemReply = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .describe('RFC 9457 problem details.');

export const problems = { '4xx': ProblemReply, '5xx': ProblemReply } as const;

export const CallReply = z.object({
  tool_use_id: z.string(),
  name: z.string(),
  state: z.enum(CALL_STATES),
  outcome: z.enum(OUTCOMES).nullable(),
  is_error: z.boolean(),
  batch: z.int().nullable(),
  queued_ms: z.int(),
  duration_ms: z.int(),
  waiting_for: z.enum(['approval', 'client']).optional(),
  coerced: z.array(z.string()).optional(),
});

export const TurnReplyTurn = z.object({
  id: z.string(),
  status: z.enum(TURN_STATUSES),
  created_at: z.iso.datetime(),
  duration_ms: z.int(),
  last_seq: z.int(),
  stop: z.object({ reason: z.string() }).nullable(),
  batches: z.array(z.object({ concurrent: z.boolean(), tool_use_ids: z.array(z.string()) })),
  calls: z.array(CallReply),
});

export const MessageReply = z.object({
  messages: z
    .array(z.record(z.string(), z.unknown()))
    .describe("What the caller appends to its conversation, in the message's own format."),
  turn: TurnReplyTurn,
});

export const SessionReply = z.object({
  id: z.string(),
  object: z.literal('session'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  status: z.enum(['idle', 'running', 'closed']),
  workspace: z.object({ path: z.string(), ephemeral: z.boolean() }),
  cwd: z.string(),
  permissions: z.record(z.string(), z.unknown()),
  execution: z.record(z.string(), z.unknown()),
  tools: z.object({ hash: z.string() }),
  metadata: z.record(z.string(), z.unknown()),
  todos: z.array(z.record(z.string(), z.unknown())),
  last_seq: z.int(),
});

export const AssistantMessage = z
  .looseObject({})
  .describe('One assistant message as a model API returned it: Anthropic Messages, OpenAI Chat Completions or OpenAI Responses.');

export const OneShotMessage = z
  .looseObject({ session: SessionOptions.optional().describe('Options of the one-shot session.') })
  .describe("The message's own keys, and the session's options beside them.");
