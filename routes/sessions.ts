// Sessions: made, listed, shown, changed, deleted.
import { z } from 'zod';
import { ownerOf } from '../src/plugins/access/auth.ts';
import type { Kept } from '../src/plugins/idempotency.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { mergeSettings } from '../src/sessions/settings/merge-settings.ts';
import { openRecord } from '../src/sessions/settings/open-record.ts';
import { sessionView } from '../src/sessions/registry/session-view.ts';
import { SessionOptions } from '../src/sessions/settings/session-options.ts';
import { sendJson } from './json-reply.ts';
import { PageQuery, problems, SessionParams, SessionReply } from './schemas.ts';

export function sessionRoutes(app: App): void {
  const { sessions } = app.services;

  app.post(
    '/v1/sessions',
    {
      config: { idempotent: true },
      schema: {
        summary: 'Make a session',
        tags: ['sessions'],
        body: SessionOptions.nullish(),
        response: { 201: SessionReply, ...problems },
      },
    },
    async (request, reply) => {
      const { status, headers, body } = await app.idempotent<Kept>(request, {
        make: async () => {
          const session = await sessions.create(ownerOf(request), request.body ?? SessionOptions.parse({}));
          const location = `/v1/sessions/${session.id}`;
          return { status: 201, headers: { location }, body: JSON.stringify(sessionView(session)) };
        },
        keep: (made) => made,
        drop: ({ body: made }) => sessions.remove(ownerOf(request), (JSON.parse(made) as { id: string }).id),
        again: (kept) => ({ ...kept, headers: { ...kept.headers, 'toolexec-replayed': 'true' } }),
      });
      return sendJson(reply.status(status).headers(headers), body);
    },
  );

  app.get(
    '/v1/sessions',
    {
      schema: {
        summary: 'List sessions, newest first',
        tags: ['sessions'],
        querystring: PageQuery,
        response: { 200: z.object({ data: z.array(SessionReply), next_cursor: z.string().optional() }), ...problems },
      },
    },
    async (request) => sessions.list(ownerOf(request), request.query),
  );

  app.get(
    '/v1/sessions/:id',
    { schema: { summary: 'Show a session', tags: ['sessions'], params: SessionParams, response: { 200: SessionReply, ...problems } } },
    async (request) => sessionView(await sessionOf(request)),
  );

  app.patch(
    '/v1/sessions/:id',
    {
      schema: {
        summary: 'Change a session (JSON merge patch)',
        tags: ['sessions'],
        params: SessionParams,
        body: openRecord(z.string(), z.unknown()),
        response: { 200: SessionReply, ...problems },
      },
    },
    async (request) => {
      const session = await sessionOf(request);
      const { permissions } = request.body;
      const mode = typeof permissions === 'object' && permissions !== null && 'mode' in permissions;
      await session.change((settings) => mergeSettings(settings, request.body), { mode });
      return sessionView(session);
    },
  );

  app.delete(
    '/v1/sessions/:id',
    {
      schema: {
        summary: 'Delete a session, aborting what runs',
        tags: ['sessions'],
        params: SessionParams,
        response: { 204: z.null(), ...problems },
      },
    },
    async (request, reply) => {
      await sessions.remove(ownerOf(request), request.params.id);
      return reply.status(204).send(null);
    },
  );
}
