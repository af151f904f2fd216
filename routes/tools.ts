// The tools a session has, as a model's API takes them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ownerOf } from '../src/plugins/auth.ts';
import { TOOL_FORMATS, type ToolFormat, type ToolPool } from '../src/sessions/session-parts.ts';
import { sendJson } from './json-reply.ts';
import { problems, SessionParams } from './schemas.ts';

const ToolsQuery = z.object({ format: z.enum(TOOL_FORMATS).default('anthropic') });
const ToolsReply = z.object({ tools: z.array(z.record(z.string(), z.unknown())), hash: z.string() });

export function toolRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  const { sessions, defaultPool } = server.services;

  app.get(
    '/v1/tools',
    {
      schema: {
        summary: 'Tools of a session with default options',
        tags: ['tools'],
        querystring: ToolsQuery,
        response: { 200: ToolsReply, ...problems },
      },
    },
    async (request, reply) => {
      ownerOf(request);
      return send({ request, reply, pool: defaultPool, workspace: '(the workspace of the session)', format: request.query.format });
    },
  );

  app.get(
    '/v1/sessions/:id/tools',
    {
      schema: {
        summary: 'Tools of a session',
        tags: ['tools'],
        params: SessionParams,
        querystring: ToolsQuery,
        response: { 200: ToolsReply, ...problems },
      },
    },
    async (request, reply) => {
      const session = await sessions.get(ownerOf(request), request.params.id);
      return send({ request, reply, pool: session.pool, workspace: session.place.workspace, format: request.query.format });
    },
  );
}

interface ToolsAnswer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly pool: ToolPool;
  readonly workspace: string;
  readonly format: ToolFormat;
}

function send({ request, reply, pool, workspace, format }: ToolsAnswer): FastifyReply {
  const hash = pool.hash({ workspace });
  const etag = `"${hash}"`;
  void reply.header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.status(304).send();
  return sendJson(reply, { tools: pool.export(format, { workspace }), hash });
}
