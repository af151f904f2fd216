// What a message would do, without running it.
import { z } from 'zod';
import { EFFECTS } from '../src/contract/index.ts';
import { clientGone } from '../src/plugins/client-gone.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { planMessage } from '../src/sessions/input/plan-message.ts';
import { Decision } from '../src/plugins/documents/wire-schemas.ts';
import { sendJson } from './json-reply.ts';
import { AssistantMessage, FormatQuery, problems, SessionParams } from './schemas.ts';
import { readMessage } from './submissions.ts';

const Plan = z
  .object({
    batches: z.array(z.object({ concurrent: z.boolean(), tool_use_ids: z.array(z.string()) })),
    calls: z.array(
      z.object({
        tool_use_id: z.string(),
        name: z.string(),
        input: z.unknown().describe('As the tool would get it; as it was sent where it is not valid.'),
        coerced: z.array(z.string()).describe('Paths of the values that were repaired.'),
        valid: z.boolean(),
        error: z.string().exactOptional(),
        concurrency_safe: z.boolean(),
        read_only: z.boolean(),
        destructive: z.boolean(),
        effect: z.enum(EFFECTS),
        permission: Decision,
      }),
    ),
  })
  .meta({ id: 'Plan', description: 'What a message would do.' });

export function planRoutes(app: App): void {
  app.post(
    '/v1/sessions/:id/plan',
    {
      schema: {
        summary: 'Show what a message would do, without running it',
        tags: ['messages'],
        params: SessionParams,
        querystring: FormatQuery,
        body: AssistantMessage,
        response: { 200: Plan, ...problems },
      },
    },
    async (request, reply) => {
      const session = await sessionOf(request);
      const { calls } = readMessage(request.body, request.query.format);
      return sendJson(reply, await planMessage(session, calls, clientGone(reply)));
    },
  );
}
