// The API describes itself: OpenAPI from the routes' schemas, and a page to read it on.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

export const VERSION = '1';

export const documents = fastifyPlugin(async (app: FastifyInstance) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'toolexec',
        version: VERSION,
        description: 'Runs the tool calls of AI agents: partitioned, concurrent where safe, results strictly in call order.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'Needed as soon as the operator has set keys.' } },
      },
      security: [{ key: [] }],
    },
    transform: jsonSchemaTransform,
  });
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/docs')) route.config = { ...route.config, public: true };
  });
  await app.register(swaggerUi, { routePrefix: '/docs', uiConfig: { docExpansion: 'list' } });

  const open = { config: { public: true }, schema: { hide: true } };
  app.get('/openapi.json', open, () => app.swagger());
  app.get('/openapi.yaml', open, (_request, reply) => reply.type('application/yaml; charset=utf-8').send(app.swagger({ yaml: true })));
});
