// toolexec as an MCP server: any MCP client uses the tools of a session through the same pipeline as everybody.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { Problem } from '../src/contract/index.ts';
import { errorResponse } from '../src/mcp/server/error-response.ts';
import { lateMcpService } from '../src/mcp/server/late-service.ts';
import type { Caller } from '../src/mcp/server/ports.ts';
import type {} from '../src/plugins/nodes/any-node.ts';
import { ownerOf } from '../src/plugins/access/auth.ts';
import { clientGone } from '../src/plugins/client-gone.ts';
import { cutOffSlowClients } from '../src/plugins/limits/cut-off.ts';
import type { App } from '../src/plugins/services.ts';
import { drained } from './event-stream.ts';
import { sessionHosts } from './mcp-sessions.ts';
import { McpMessage, McpQuery, McpReply, problems } from './schemas.ts';

const CONNECTIONS_PER_KEY = 1_000;
/** An agent may think for long; one that listens is never idle. */
const IDLE_MS = 3_600_000;

export function mcpRoutes(app: App): void {
  const { sessions } = app.services;
  cutOffSlowClients(app);
  const hosts = sessionHosts(app);
  const mcp = lateMcpService({
    hosts,
    report: (error) => app.log.error({ err: error }, 'an MCP request failed'),
    note: (error) => app.log.debug({ err: error }, 'an MCP client'),
    connectionsPerOwner: CONNECTIONS_PER_KEY,
    idleMs: IDLE_MS,
  });
  app.addHook('preClose', async () => {
    await mcp.close();
    await hosts.settled();
  });

  const handler = async (
    request: FastifyRequest<{ Querystring: { session_id?: string | undefined } }>,
    reply: FastifyReply,
  ): Promise<void> => {
    const owner = ownerOf(request);
    const sessionId = request.query.session_id ?? null;
    if (sessionId !== null) await sessions.get(owner, sessionId);
    const caller = callerOf(request, reply, { owner, sessionId });
    const { service, toWebRequest } = await mcp.get();
    service.assertRoom(caller);
    app.eventStreams.assertRoom(owner);
    // A request that has come has a method, which the types of Node leave open.
    const message = await toWebRequest(request.raw as NodeIncomingMessageLike, caller.body, { signal: clientGone(reply) });
    reply.hijack();
    const leave = app.eventStreams.add(owner);
    void caller.closed.then(leave);
    const response = await service.answer(message, caller).catch((error: unknown) => {
      request.log.error({ err: error }, 'an MCP request failed');
      return errorResponse(500, { code: -32_603, message: 'Something went wrong inside the service. Its log has the details.' });
    });
    await send(response, reply);
  };
  const config = { sessionIn: 'query' } as const;
  const shared = { tags: ['tools'], querystring: McpQuery, response: { 200: McpReply, ...problems } };
  app.post('/mcp', { config, schema: { summary: 'Send a message of MCP', body: McpMessage, ...shared } }, handler);
  app.get('/mcp', { config, schema: { summary: 'Listen to an MCP connection', ...shared } }, handler);
  app.delete('/mcp', { config, schema: { summary: 'End an MCP connection', ...shared } }, handler);
}

function callerOf(request: FastifyRequest, { raw }: FastifyReply, who: Pick<Caller, 'owner' | 'sessionId'>): Caller {
  const body = request.body ?? undefined;
  if (request.method === 'POST' && body === undefined)
    throw new Problem('invalid-request', 'The body is empty: send a message of JSON-RPC.');
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  raw.once('close', resolve);
  if (raw.closed) resolve();
  return { ...who, body, reads: () => !raw.writableNeedDrain, closed };
}

/** Writes the response as it comes; a client that does not read is cut off. */
async function send({ status, headers, body }: Response, reply: FastifyReply): Promise<void> {
  const { raw, request, server } = reply;
  raw.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), ...Object.fromEntries(headers) });
  if (body === null) return void raw.end();
  const reader = body.getReader();
  const leave = (): void => {
    reader.cancel().catch(() => {
      // What failed while nobody listens is of no concern.
    });
  };
  raw.once('close', leave);
  if (raw.closed) leave();
  raw.flushHeaders();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (!raw.write(part.value) && !(await drained(raw, server.services.config.limits.reader_patience_ms))) return void raw.destroy();
    }
    raw.end();
  } catch (error) {
    request.log.error({ err: error }, 'an MCP reply failed');
    raw.destroy();
  }
}
