// What a model's API gives and a client passes on: whole messages, and the pieces of a stream. Documented, not enforced:
// the readers of the formats take what these leave open, and say better what is wrong.
import { ANTHROPIC_STREAM_TYPES } from '../../formats/recognise-stream.ts';
import { z } from 'zod';

const argumentsText = z.string().describe('JSON as text, as the model wrote it.');

/** Whole messages, by format. */
export const MessageShapes = {
  anthropic: z
    .looseObject({
      role: z.literal('assistant'),
      content: z.array(
        z.looseObject({
          type: z.string().describe('`tool_use`; blocks of other types are passed over.'),
          id: z.string().optional(),
          name: z.string().optional(),
          input: z.unknown(),
        }),
      ),
    })
    .meta({ id: 'AnthropicMessage', description: 'A message of the Anthropic Messages API.' }),

  openai_chat: z
    .looseObject({
      role: z.literal('assistant'),
      tool_calls: z.array(
        z.looseObject({
          id: z.string(),
          type: z.literal('function').optional(),
          function: z.looseObject({ name: z.string(), arguments: argumentsText }),
        }),
      ),
    })
    .meta({ id: 'OpenaiChatMessage', description: 'A message of OpenAI Chat Completions.' }),

  openai_responses: z
    .looseObject({
      output: z.array(
        z.looseObject({
          type: z.string().describe('`function_call`; items of other types are passed over.'),
          call_id: z.string().optional(),
          name: z.string().optional(),
          arguments: argumentsText.optional(),
        }),
      ),
    })
    .meta({ id: 'OpenaiResponsesMessage', description: 'A response of OpenAI Responses.' }),
} as const;

/** Frames of a model's stream, by the format that they belong to. */
export const StreamFrames = {
  anthropic: z.looseObject({ type: z.enum([...ANTHROPIC_STREAM_TYPES, 'ping', 'error']) }).meta({
    id: 'AnthropicStreamEvent',
    description:
      'A stream event of the Anthropic Messages API, unchanged. A `tool_use` block starts when its `content_block_stop` arrives, and `message_stop` ends the input of the turn. Types that are not known are ignored between `message_start` and `message_stop`.',
  }),
  openai_chat: z.looseObject({ object: z.literal('chat.completion.chunk') }).meta({
    id: 'OpenaiChatChunk',
    description:
      'A chunk of OpenAI Chat Completions, unchanged. A call starts when the next one begins or `finish_reason` comes, which ends the input of the turn.',
  }),
  openai_responses: z.looseObject({ type: z.string().regex(/^(response\..+|error)$/) }).meta({
    id: 'OpenaiResponsesEvent',
    description:
      'A stream event of OpenAI Responses, unchanged. A call starts at its `response.output_item.done`, and `response.completed` ends the input of the turn.',
  }),
} as const;
