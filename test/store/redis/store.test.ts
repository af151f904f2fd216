import { after, before } from 'node:test';
import { startRedis, type RedisServer } from '../../support/redis.ts';
import { storeSuite } from '../../suites/store.ts';
import { openOn } from './open-redis.ts';

let server: RedisServer;
before(async () => {
  server = await startRedis();
});
after(() => server.end());

storeSuite(
  'Redis store',
  openOn(() => server),
);
