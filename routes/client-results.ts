// What a client answers to the calls that it runs itself.
import { z } from 'zod';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { answerClientCall } from '../src/sessions/people/answer-client-call.ts';
import { clientAnswer } from '../src/sessions/input/client-frames.ts';
import { CallParams, problems } from './schemas.ts';

export function clientResultRoutes(app: App): void {
  app.post(
    '/v1/sessions/:id/turns/:turn_id/calls/:tool_use_id/result',
    {
      schema: {
        summary: 'Answer a call that the client runs',
        tags: ['turns'],
        params: CallParams,
        body: z.object(clientAnswer),
        response: { 200: z.object({ tool_use_id: z.string(), is_error: z.boolean() }), ...problems },
      },
    },
    async (request) => {
      const { turn_id: turnId, tool_use_id: toolUseId } = request.params;
      const session = await sessionOf(request);
      const { content, is_error: isError } = request.body;
      await answerClientCall(session, { toolUseId, turnId, content, isError });
      return { tool_use_id: toolUseId, is_error: isError };
    },
  );
}
