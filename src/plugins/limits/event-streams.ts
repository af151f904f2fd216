// Event streams that are open, by owner.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import { OwnerCount } from './owner-count.ts';

declare module 'fastify' {
  interface FastifyInstance {
    eventStreams: OwnerCount;
  }
}

export const eventStreams = fastifyPlugin<{ perOwner: number }>((app: FastifyInstance, { perOwner }, done) => {
  app.decorate('eventStreams', new OwnerCount(perOwner, 'event streams'));
  done();
});
