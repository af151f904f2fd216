import type { FastifyReply } from 'fastify';

/** Sends a body as JSON, past the serializer. @param body text that is JSON already goes as it is */
export function sendJson(reply: FastifyReply, body: object | string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(typeof body === 'string' ? body : JSON.stringify(body));
}
