// A session's workspace as one tar archive, out and in.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { sessionOf, type App } from '../src/plugins/services.ts';
import type {} from '../src/plugins/limits/transfers.ts';
import { bodyOf, takeRawBodies } from './file-body.ts';
import { tellFileErrors } from './file-problems.ts';
import { problems, SessionParams } from './schemas.ts';

const UnpackReply = z
  .object({ files: z.int().describe('Files and links that were written.'), bytes: z.int().describe('Bytes of the files.') })
  .meta({ id: 'Unpacked', description: 'What was taken from an archive.' });

export function archiveRoutes(app: App): void {
  const { sessions } = app.services;
  takeRawBodies(app);
  tellFileErrors(app);

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
      const { place } = await sessionOf(request);
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
      const { place } = await sessionOf(request);
      sessions.assertAccepting();
      return place.tree.unpack(bodyOf(reply));
    },
  );
}
