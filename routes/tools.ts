// The tools a session has, as a model's API takes them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { TOOL_FORMATS, type DescribeContext, type Toolbox, type ToolFormat } from '../src/contract/index.ts';
import { ownerOf } from '../src/plugins/access/auth.ts';
import { clientGone } from '../src/plugins/client-gone.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { sendJson } from './json-reply.ts';
import { problems, SessionParams } from './schemas.ts';

const ToolsQuery = z.object({ format: z.enum(TOOL_FORMATS).default('anthropic') });
const ToolsReply = z.object({
  tools: z.array(z.record(z.string(), z.unknown())),
  hash: z.string().describe('Changes with the tools, and when deferred ones are loaded.'),
  deferred: z
    .array(z.object({ name: z.string(), search_hint: z.string() }))
    .exactOptional()
    .describe(
      'Tools that a model must search for first, loaded or not: tell it their names. In the format `anthropic` they are in `tools` with `defer_loading`; in the others only those that are loaded.',
    ),
  servers: z
    .array(z.object({ name: z.string(), state: z.enum(['idle', 'connecting', 'ready', 'failed']), reason: z.string().exactOptional() }))
    .exactOptional()
    .describe('MCP servers whose tools belong to the session, and why one has none.'),
});

export function toolRoutes(app: App): void {
  const { defaultTools } = app.services;

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
      return send({ request, reply, ...defaultTools(ownerOf(request)), format: request.query.format });
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
      const { toolbox, described } = await sessionOf(request);
      return send({ request, reply, toolbox, described, format: request.query.format });
    },
  );
}

interface ToolsAnswer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly toolbox: Toolbox;
  readonly described: DescribeContext;
  readonly format: ToolFormat;
}

/** Asking for the list connects the session's servers, and waits for them a little. */
async function send({ request, reply, toolbox, described, format }: ToolsAnswer): Promise<FastifyReply> {
  await toolbox.connect(clientGone(reply));
  const hash = toolbox.hash(described);
  const etag = `"${hash}"`;
  void reply.header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.status(304).send();
  const deferred = toolbox.deferred();
  const { servers } = toolbox;
  return sendJson(reply, {
    tools: toolbox.export(format, described),
    hash,
    ...(deferred.length > 0 && { deferred }),
    ...(servers.length > 0 && { servers }),
  });
}
