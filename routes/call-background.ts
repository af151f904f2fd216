// Sends a running call to the background: it goes on as a task of the session, and is answered at once.
import { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { moveToBackground } from '../src/sessions/tasks/task-of-call.ts';
import { CallParams, problems, TurnReplyTurn } from './schemas.ts';

export function callBackgroundRoutes(app: App): void {
  app.post(
    '/v1/sessions/:id/turns/:turn_id/calls/:tool_use_id/background',
    {
      schema: {
        summary: 'Let a running call go on in the background: its turn no longer waits for it',
        tags: ['tasks'],
        params: CallParams,
        response: { 202: z.object({ turn: TurnReplyTurn }), ...problems },
      },
    },
    async (request, reply) => {
      const { turn_id: turnId, tool_use_id: toolUseId } = request.params;
      const session = await sessionOf(request);
      const turn = session.turns.find(turnId);
      if (turn === undefined)
        throw new Problem('call-not-found', `The session has no unfinished turn ${turnId}, so that none of its calls runs.`);
      moveToBackground(session, { toolUseId, turn });
      return reply.status(202).send({ turn: turn.summary() });
    },
  );
}
