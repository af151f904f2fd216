// Requests that another node of the cluster passes on: it has judged Host, Origin and key, and tells who asks. Nobody else
// can say so.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FORWARDED_HEADER, readIdentity, type Identity } from '../../cluster/identity.ts';
import { Problem, type Nodes } from '../../contract/index.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, by the word of the node that the request came to; `null` when it came here first. */
    forwarded: Identity | null;
  }
}

/** Register it before `origins` and `auth`, which believe it. Without other nodes the header means nothing. */
export const forwarded = fastifyPlugin<{ nodes: Nodes | undefined }>((app: FastifyInstance, { nodes }, done) => {
  app.decorateRequest('forwarded', null);
  if (nodes === undefined) return done();
  app.addHook('onRequest', async (request) => {
    if (request.headers[FORWARDED_HEADER] !== undefined) request.forwarded = await identityOf(request, nodes);
  });
  done();
});

/** @throws Problem `unauthorized`, `store-unavailable` */
async function identityOf({ headers, method, url }: FastifyRequest, nodes: Nodes): Promise<Identity> {
  const told = String(headers[FORWARDED_HEADER]);
  const identity = readIdentity(told, { to: nodes.name, method, path: url }, await nodes.secret());
  if (identity !== null) return identity;
  throw new Problem('unauthorized', `The header ${FORWARDED_HEADER} is for nodes of the service, and this one is of none: leave it out.`);
}
