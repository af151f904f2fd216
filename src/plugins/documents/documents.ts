// The API describes itself: OpenAPI from the routes' schemas and a page to read it on, AsyncAPI from the frames' schemas.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import swagger, { type SwaggerTransform } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import { stringify } from 'yaml';
import { z } from 'zod';
import { releaseVersion } from '../../contract/index.ts';
import { asyncapiDocument } from './asyncapi.ts';
import { tidySchema } from './document-schemas.ts';
import { finishOpenapi, IDEMPOTENT } from './openapi.ts';

const DESCRIPTION = `Runs the tool calls of AI agents: partitioned, concurrent where safe, results strictly in call order.

Make a session, post the assistant message that a model's API returned, and append \`messages\` of the reply to the conversation. The same over a WebSocket, call by call or as the model streams, is described in \`/asyncapi.yaml\`.

JSON in UTF-8, \`snake_case\` keys, RFC 3339 times in UTC, durations in whole milliseconds (\`_ms\`). Ids are opaque.`;

const zodToJsonConfig = { override: tidySchema };
const fromZod = createJsonSchemaTransform({ zodToJsonConfig });
const componentsFromZod = createJsonSchemaTransformObject({ zodToJsonConfig });

export const documents = fastifyPlugin(async (app: FastifyInstance) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'toolexec',
        version: releaseVersion(),
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'Needed as soon as the operator has set keys.' } },
      },
      security: [{ key: [] }],
    },
    transform: transformRoute,
    transformObject: (document) => finishOpenapi(componentsFromZod(document) as OpenAPIV3_1.Document),
  });
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs')) route.config = { ...route.config, public: true };
  });
  await app.register(swaggerUi, { routePrefix: '/docs', uiConfig: { docExpansion: 'list' } });

  const open = { config: { public: true }, schema: { hide: true } };
  serveDocument('/openapi.json', 'application/json', () => JSON.stringify(app.swagger()));
  serveDocument('/openapi.yaml', 'application/yaml', () => openapiYaml(app));
  serveDocument('/asyncapi.yaml', 'application/yaml', asyncapiYaml);

  /** Made once, when somebody first asks: anybody may ask, and making one takes long. */
  function serveDocument(path: string, type: string, make: () => string): void {
    let text: string | undefined;
    app.get(path, open, (_request, reply) => reply.type(`${type}; charset=utf-8`).send((text ??= make())));
  }
});

/** Call it when the app is ready. */
export function openapiYaml(app: FastifyInstance): string {
  return toYaml(app.swagger());
}

export function asyncapiYaml(): string {
  return toYaml(asyncapiDocument({ version: releaseVersion() }));
}

/** What a route's config does to its requests is part of how it is described. */
const transformRoute: SwaggerTransform = (route) => {
  const { schema, url } = fromZod(withPathName(route));
  const { config } = route.route;
  return {
    url,
    schema: { ...schema, ...(config?.public === true && { security: [] }), ...(config?.idempotent === true && { [IDEMPOTENT]: true }) },
  };
};

/** The rest of a path has no name in a route, and needs one for its readers. */
function withPathName(route: Parameters<SwaggerTransform>[0]): Parameters<SwaggerTransform>[0] {
  const params: unknown = route.schema?.params;
  if (!(params instanceof z.ZodObject) || !('*' in params.shape)) return route;
  const { '*': path, ...others } = params.shape as z.ZodRawShape;
  return { ...route, url: route.url.replace('*', ':path'), schema: { ...route.schema, params: z.object({ ...others, path }) } };
}

/** Also for readers of YAML 1.1, to whom a bare `on` is true. */
function toYaml(document: unknown): string {
  return stringify(document, { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 120 });
}
