// What the search tool does for a model, for those who ask over HTTP.
import { z } from 'zod';
import { clientGone } from '../src/plugins/client-gone.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { sendJson } from './json-reply.ts';
import { problems, SessionParams } from './schemas.ts';

const SearchRequest = z.strictObject({
  query: z
    .string()
    .max(2_000)
    .describe('Words for what the tool should do, of which `+word` must occur; or `select:` and exact names with commas between them.'),
  max_results: z.int().min(1).max(50).default(5).describe('How many at most; names given with `select:` are all found.'),
});

const SearchReply = z.object({
  matches: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        input_schema: z.record(z.string(), z.unknown()),
        deferred: z.boolean().describe('The tool had to be searched for; it counts as loaded from now on.'),
      }),
    )
    .describe('Best first.'),
  notes: z.array(z.string()).describe('What was not found, and servers whose tools are not there.'),
});

export function toolSearchRoutes(app: App): void {
  app.post(
    '/v1/sessions/:id/tools/search',
    {
      schema: {
        summary: 'Search the tools of a session, and load what is found',
        tags: ['tools'],
        params: SessionParams,
        body: SearchRequest,
        response: { 200: SearchReply, ...problems },
      },
    },
    async (request, reply) => {
      const session = await sessionOf(request);
      const { query, max_results } = request.body;
      const { matches, notes } = await session.toolbox.index.search(query, max_results, clientGone(reply));
      const loaded = matches.filter(({ deferred }) => deferred).map(({ name }) => name);
      if (loaded.length > 0) await session.loadTools(loaded);
      const shown = matches.map(({ inputSchema: input_schema, ...match }) => ({ ...match, input_schema }));
      return sendJson(reply, { matches: shown, notes });
    },
  );
}
