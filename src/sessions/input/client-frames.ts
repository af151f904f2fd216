// The frames that a client sends over a socket, beside the stream events of a model, which pass by unchanged.
import { z } from 'zod';
import { ResultContentSchema } from '../../contract/index.ts';
import { openRecord } from '../settings/open-record.ts';

const ref = z
  .union([z.string().max(256), z.number()])
  .optional()
  .describe('Comes back in `ack` or `error`.');
const turn_id = z.string().max(100).optional().describe("The turn that is meant; the socket's newest unfinished one when absent.");
/** Characters of JSON of one piece of progress. */
const MAX_PROGRESS_CHARS = 65_536;
const tool_use_id = z.string().min(1).max(256);

/** The keys of an answer to an approval, over a socket and over REST. */
export const approvalAnswer = {
  behavior: z.enum(['allow', 'deny']),
  updated_input: openRecord(z.string(), z.unknown()).optional().describe('With `allow`: the whole input that the call is to run with.'),
  message: z.string().max(10_000).optional().describe('With `deny`: what the model is told.'),
  remember: z.literal('session').optional().describe('The first suggested rule becomes one of the session.'),
  apply_suggestions: z.array(z.int().min(0)).max(20).optional().describe('Suggested rules, by index, that become rules of the session.'),
};
export type ApprovalAnswerBody = z.output<z.ZodObject<typeof approvalAnswer>>;

/** The keys of an answer to a call that the client runs, over a socket and over REST. */
export const clientAnswer = {
  content: ResultContentSchema,
  is_error: z.boolean().default(false).describe('The text is then made safe for the model, as that of all errors is.'),
};

export const ClientFrames = {
  tool_use: z
    .looseObject({ type: z.literal('tool_use'), id: tool_use_id, name: z.string(), input: z.unknown(), ref })
    .describe('One call: it may start at once. The first one opens a turn.'),
  message: z
    .looseObject({ type: z.literal('message'), message: z.unknown(), format: z.string().optional(), ref })
    .describe('A whole assistant message: one turn.'),
  end: z.looseObject({ type: z.literal('end'), turn_id, ref }).describe('No more calls in this turn.'),
  discard: z.looseObject({ type: z.literal('discard'), turn_id, ref }).describe('Drop the turn and all its results.'),
  abort: z
    .looseObject({ type: z.literal('abort'), reason: z.string().max(1000).optional(), turn_id, ref })
    .describe('Interrupt the turn; each unfinished call gets its error result.'),
  cancel: z.looseObject({ type: z.literal('cancel'), tool_use_id, ref }).describe('Stop this call alone.'),
  background: z
    .looseObject({ type: z.literal('background'), tool_use_id, ref })
    .describe('Let this running call go on as a task in the background: it is answered at once.'),
  approval: z
    .looseObject({ type: z.literal('approval'), approval_id: z.string().max(100), ...approvalAnswer, ref })
    .describe('Answers `approval_requested`.'),
  client_result: z.looseObject({ type: z.literal('client_result'), tool_use_id, ...clientAnswer, ref }).describe('Answers `client_call`.'),
  client_progress: z
    .looseObject({
      type: z.literal('client_progress'),
      tool_use_id,
      data: z.unknown().refine((data) => (JSON.stringify(data)?.length ?? 0) <= MAX_PROGRESS_CHARS, {
        error: `At most ${MAX_PROGRESS_CHARS} characters of JSON.`,
      }),
      ref,
    })
    .describe('Progress of a client call.'),
  subscribe: z
    .looseObject({ type: z.literal('subscribe'), client_tools: z.array(z.string().max(200)).max(1000), ref })
    .describe('This socket runs these client tools.'),
  ping: z.looseObject({ type: z.literal('ping'), ref }).describe('Answered by `pong`.'),
} as const;

export type ClientFrameType = keyof typeof ClientFrames;
export type ClientFrame = { [Type in ClientFrameType]: z.output<(typeof ClientFrames)[Type]> }[ClientFrameType];

export function isClientFrameType(type: unknown): type is ClientFrameType {
  return typeof type === 'string' && Object.hasOwn(ClientFrames, type);
}
