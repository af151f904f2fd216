import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../support/server.ts';

test('documents are made once: whoever asks again does not make the service work for them', async (t) => {
  const server = await startServer(t);
  const get = async (path: string): Promise<string> => (await fetch(server.url + path)).text();
  await get('/healthz');
  const cost = async (path: string, times: number): Promise<number> => {
    const before = process.cpuUsage();
    for (let n = 0; n < times; n += 1) await get(path);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times;
  };
  for (const path of ['/asyncapi.yaml', '/openapi.yaml']) {
    const first = await cost(path, 1);
    const later = await cost(path, 10);
    assert.ok(later < first / 3, `${path}: ${first} µs for the first, ${later} µs for each of the later ones`);
  }
  assert.equal(await get('/asyncapi.yaml'), await get('/asyncapi.yaml'));
  assert.equal((await fetch(`${server.url}/openapi.json`)).headers.get('content-type'), 'application/json; charset=utf-8');
});
