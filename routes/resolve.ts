// Settles a call whose outcome nobody knows, since the service ended while it ran.
import { z } from 'zod';
import { RESOLUTIONS, ResultContentSchema } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { Call } from '../src/plugins/documents/wire-schemas.ts';
import { resolveCall } from '../src/sessions/recovery/resolve-call.ts';
import { sendJson } from './json-reply.ts';
import { CallParams, MessageReply, problems, ToolContent } from './schemas.ts';

const Resolution = z
  .object({
    as: z
      .enum(RESOLUTIONS)
      .describe('`retry`: run it again. `ok`: it has taken effect. `error`: it has not, and is not to be tried again.'),
    content: ResultContentSchema.optional().describe('With `ok` and `error`: what the model reads.'),
  })
  .refine(({ as, content }) => as !== 'retry' || content === undefined, {
    path: ['content'],
    error: 'A call that runs again says itself what came of it: leave content out.',
  });

const SettledCall = Call.extend({
  turn_id: z.string(),
  content: ToolContent.nullable().describe('What the model reads; `null` while the call has not ended.'),
  pending: MessageReply.shape.pending.describe('With `retry`: what people or the client must do before the call can go on.'),
}).meta({ id: 'SettledCall' });

export function resolveRoutes(app: App): void {
  app.post(
    '/v1/sessions/:id/turns/:turn_id/calls/:tool_use_id/resolve',
    {
      schema: {
        summary: 'Settle a call whose outcome is unknown',
        tags: ['turns'],
        params: CallParams,
        body: Resolution,
        response: { 200: SettledCall, ...problems },
      },
    },
    async (request, reply) => {
      const { turn_id: turnId, tool_use_id: toolUseId } = request.params;
      const session = await sessionOf(request);
      if (request.body.as === 'retry') app.services.sessions.assertAccepting();
      return sendJson(reply, await resolveCall(session, { turnId, toolUseId, ...request.body }));
    },
  );
}
