// The whole output of one call: also while it grows, and when the result was cut.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem, textOf, type ResultContent } from '../src/contract/index.ts';
import { ownerOf } from '../src/plugins/auth.ts';
import type { Session } from '../src/sessions/session.ts';
import { parseByteRange } from './byte-range.ts';
import { CallParams, problems } from './schemas.ts';

export function callOutputRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
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
      const { id, turn_id, tool_use_id } = request.params;
      const session = await server.services.sessions.get(ownerOf(request), id);
      const call = await findCall(session, turn_id, tool_use_id);
      void reply.type('text/plain; charset=utf-8').header('accept-ranges', 'bytes').header('x-content-type-options', 'nosniff');
      const path = session.place.outputs.pathFor(turn_id, call.index);
      const size = await stat(path).then(
        ({ size: bytes }) => bytes,
        () => null,
      );
      const header = request.headers.range;
      if (size !== null) return sendPart(reply, { header, size, part: (start, end) => createReadStream(path, { start, end }) });
      const text = Buffer.from(textOf(call.content));
      return sendPart(reply, { header, size: text.length, part: (start, end) => text.subarray(start, end + 1) });
    },
  );
}

interface Source {
  readonly header: string | undefined;
  readonly size: number;
  /** Both ends count. */
  readonly part: (start: number, end: number) => NodeJS.ReadableStream | Buffer;
}

function sendPart(reply: FastifyReply, { header, size, part }: Source): FastifyReply {
  const range = parseByteRange(header, size);
  if (range === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${size}`);
    throw new Problem('range-not-satisfiable', `The output has ${size} bytes so far.`);
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  void reply.header('content-length', end - start + 1);
  if (range !== null) void reply.status(206).header('content-range', `bytes ${start}-${end}/${size}`);
  return reply.send(size === 0 ? '' : part(start, end));
}

async function findCall(session: Session, turnId: string, toolUseId: string): Promise<{ index: number; content: ResultContent }> {
  const live = session.openTurn(turnId)?.record.calls.get(toolUseId);
  if (live !== undefined) return { index: live.index, content: live.result?.content ?? '' };
  const rows = await session.parts.store.calls(session.id, turnId);
  const row = rows.find((call) => call.toolUseId === toolUseId);
  if (row === undefined) throw new Problem('call-not-found', `The session has no call ${toolUseId} in turn ${turnId}.`);
  return { index: row.index, content: row.result.content };
}
