// Whether the service is alive and ready, and what its problems mean.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem, PROBLEM_CODES } from '../src/contract/index.ts';
import { PROBLEM_STATUS, titleOf } from '../src/plugins/problem-details.ts';
import type { App } from '../src/plugins/services.ts';
import { problems, SandboxReply } from './schemas.ts';
import { PROBLEM_HELP } from './problem-help.ts';
import { PAGE_HEADERS, problemPage } from './problem-page.ts';

/** Milliseconds in which the store has to answer, to count as there. */
const PING_MS = 500;
const ProblemHelp = z.object({ type: z.string(), title: z.string(), status: z.int(), help: z.string() });

export function operationRoutes(app: App): void {
  const { sessions, store } = app.services;
  const probe = { public: true, anyHost: true };

  app.get(
    '/healthz',
    { config: probe, schema: { summary: 'Alive', tags: ['operations'], response: { 200: z.object({ status: z.literal('ok') }) } } },
    () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    {
      config: probe,
      schema: {
        summary: 'Ready for new turns: started and not draining',
        tags: ['operations'],
        response: {
          200: z.object({
            status: z.literal('ready'),
            store: z.string(),
            sandbox: SandboxReply,
          }),
          ...problems,
        },
      },
    },
    async () => {
      sessions.assertAccepting();
      const storeState = await Promise.race([
        store.ping().then(
          () => 'ok',
          () => 'unavailable',
        ),
        // Whoever probes must not take a store that does not answer for a node that does not.
        sleep(PING_MS, 'unavailable', { ref: false }),
      ]);
      return { status: 'ready' as const, store: storeState, sandbox: app.services.sandbox };
    },
  );

  app.get(
    '/problems/:slug',
    {
      config: { public: true },
      schema: {
        summary: 'What a problem means and what to do',
        tags: ['operations'],
        params: z.object({ slug: z.string().max(100) }),
        response: {
          200: {
            description: 'JSON, or a page for whoever asks for HTML.',
            content: { 'application/json': { schema: ProblemHelp }, 'text/html': { schema: z.string() } },
          },
          ...problems,
        },
      },
    },
    (request, reply) => {
      const code = PROBLEM_CODES.find((slug) => slug === request.params.slug);
      if (code === undefined) throw new Problem('not-found', `There is no problem of this name. There are: ${PROBLEM_CODES.join(', ')}.`);
      const explained = { type: `/problems/${code}`, title: titleOf(code), status: PROBLEM_STATUS[code], help: PROBLEM_HELP[code] };
      void reply.header('vary', 'accept');
      if (!wantsPage(request)) return explained;
      void reply.headers(PAGE_HEADERS);
      return problemPage(explained);
    },
  );
}

/** Browsers name HTML, programs name JSON or nothing. */
function wantsPage({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.toLowerCase().includes('text/html') && !accept.toLowerCase().includes('application/json');
}
