// The whole output of one call: also while it grows, and when the result was cut.
import { z } from 'zod';
import { Problem, textOf, type ResultContent } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import type { Session } from '../src/sessions/session.ts';
import { CallParams, problems } from './schemas.ts';
import { outputInFile, outputInMemory, sendOutput } from './send-range.ts';

export function callOutputRoutes(app: App): void {
  app.get(
    '/v1/sessions/:id/turns/:turn_id/calls/:tool_use_id/output',
    {
      schema: {
        summary: "A call's whole output, `Range` honoured",
        tags: ['turns'],
        params: CallParams,
        response: { 200: z.string(), 206: z.string(), ...problems },
      },
    },
    async (request, reply) => {
      const { turn_id, tool_use_id } = request.params;
      const session = await sessionOf(request);
      const call = await findCall(session, turn_id, tool_use_id);
      const kept = await outputInFile(session.place.outputs.pathFor(turn_id, call.index));
      return sendOutput(reply, kept ?? outputInMemory(textOf(call.content)), { header: request.headers.range });
    },
  );
}

async function findCall(session: Session, turnId: string, toolUseId: string): Promise<{ index: number; content: ResultContent }> {
  const live = session.turns.find(turnId)?.record.calls.get(toolUseId);
  if (live !== undefined) return { index: live.index, content: live.result?.content ?? '' };
  const rows = await session.parts.store.calls(session.id, turnId);
  const row = rows.find((call) => call.toolUseId === toolUseId);
  if (row === undefined) throw new Problem('call-not-found', `The session has no call ${toolUseId} in turn ${turnId}.`);
  return { index: row.index, content: row.result.content };
}
