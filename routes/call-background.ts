// Sends a running call to the background: it goes on as a task of the session, and is answered at once.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { ownerOf } from '../src/plugins/auth.ts';
import { moveToBackground } from '../src/sessions/task-of-call.ts';
import { CallParams, problems, TurnReplyTurn } from './schemas.ts';

export function callBackgroundRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
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
      const { id, turn_id: turnId, tool_use_id: toolUseId } = request.params;
      const session = await server.services.sessions.get(ownerOf(request), id);
      const turn = session.turns.find(turnId);
      if (turn === undefined)
        throw new Problem('call-not-found', `The session has no unfinished turn ${turnId}, so that none of its calls runs.`);
      moveToBackground(session, { toolUseId, turn });
      return reply.status(202).send({ turn: turn.summary() });
    },
  );
}
