// A session's workspace as one tar archive, out and in.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ownerOf } from '../src/plugins/auth.ts';
import type {} from '../src/plugins/transfers.ts';
import { bodyOf, takeRawBodies } from './file-body.ts';
import { tellFileErrors } from './file-problems.ts';
import { problems, SessionParams } from './schemas.ts';

const UnpackReply = z
  .object({ files: z.int().describe('Files and links that were written.'), bytes: z.int().describe('Bytes of the files.') })
  .meta({ id: 'Unpacked', description: 'What was taken from an archive.' });

export function archiveRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  const { sessions } = server.services;
  takeRawBodies(server);
  tellFileErrors(server);

  app.get(
    '/v1/sessions/:id/archive',
    {
      config: { transfer: 'archive' },
      // How long it is shows only when it has been made.
      exposeHeadRoute: false,
      schema: {
        summary: 'Get the workspace as a tar archive',
        tags: ['files'],
        params: SessionParams,
        response: { 200: z.unknown(), ...problems },
      },
    },
    async (request, reply) => {
      const { place } = await sessions.get(ownerOf(request), request.params.id);
      void reply.type('application/x-tar').header('content-disposition', `attachment; filename="${request.params.id}.tar"`);
      return reply.send(Readable.from(place.tree.pack(), { objectMode: false }));
    },
  );

  app.put(
    '/v1/sessions/:id/archive',
    {
      config: { transfer: 'archive' },
      schema: {
        summary: 'Unpack a tar archive into the workspace',
        tags: ['files'],
        params: SessionParams,
        response: { 200: UnpackReply, ...problems },
      },
    },
    async (request, reply) => {
      const { place } = await sessions.get(ownerOf(request), request.params.id);
      sessions.assertAccepting();
      return place.tree.unpack(bodyOf(reply));
    },
  );
}
