import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startServer, type Json } from '../support/server.ts';

const APP = 'https://app.example.com';
const env = { TOOLEXEC_API_KEYS: 'one:first-secret', TOOLEXEC_ALLOWED_ORIGINS: `${APP},http://localhost:3000` };
const key = { authorization: 'Bearer first-secret' };

/** What a browser asks before a page's request with these headers. */
const preflight = (origin: string, method = 'POST') => ({
  origin,
  'access-control-request-method': method,
  'access-control-request-headers': 'authorization,content-type,idempotency-key',
});

describe('a page of an allowed origin', () => {
  test('asks first whether it may, without a key', async (t) => {
    const server = await startServer(t, { env });
    for (const method of ['POST', 'PATCH', 'DELETE', 'PUT']) {
      const { status, headers } = await server.request('OPTIONS', '/v1/sessions/ses_x', undefined, preflight(APP, method));
      assert.equal(status, 204);
      assert.equal(headers.get('access-control-allow-origin'), APP);
      assert.ok(headers.get('access-control-allow-methods')?.split(', ').includes(method));
      for (const name of ['authorization', 'content-type', 'idempotency-key']) {
        assert.ok(headers.get('access-control-allow-headers')?.includes(name), name);
      }
      assert.equal(headers.get('access-control-allow-credentials'), null, 'cookies are of no use here');
    }
  });

  test('may read replies and the headers that it needs, also of what was refused', async (t) => {
    const server = await startServer(t, { env });
    for (const [headers, status] of [
      [{ ...key, origin: APP }, 201],
      [{ origin: APP }, 401],
    ] as const) {
      const reply = await server.request('POST', '/v1/sessions', {}, headers);
      assert.equal(reply.status, status);
      assert.equal(reply.headers.get('access-control-allow-origin'), APP);
      assert.match(reply.headers.get('vary') ?? '', /\bOrigin\b/i, 'caches keep the origins apart');
      const exposed = reply.headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
      for (const name of ['location', 'retry-after', 'etag', 'toolexec-replayed']) assert.ok(exposed?.includes(name), name);
    }
    const other = await server.request('GET', '/v1/sessions', undefined, { ...key, origin: 'http://localhost:3000' });
    assert.equal(other.headers.get('access-control-allow-origin'), 'http://localhost:3000');
  });

  test('may read a stream of events', async (t) => {
    const server = await startServer(t, { env });
    const { body } = await server.request('POST', '/v1/sessions', {}, key);
    const path = `/v1/sessions/${body['id']}/events?follow=false`;
    const { headers } = await server.request('GET', path, undefined, { ...key, origin: APP });
    assert.equal(headers.get('access-control-allow-origin'), APP);
    assert.match(headers.get('content-type') ?? '', /event-stream/);
  });
});

describe('a page of another origin', () => {
  for (const allowed of [env, {}]) {
    test(`is told nothing that would let a browser go on${allowed === env ? '' : ', also where no origin is allowed'}`, async (t) => {
      const server = await startServer(t, { env: allowed });
      for (const origin of ['https://evil.example', 'null', `${APP}:444`, `${APP}.evil.example`, 'http://localhost:3001']) {
        for (const [method, headers] of [
          ['OPTIONS', preflight(origin)],
          ['GET', { ...key, origin }],
        ] as [string, Json][]) {
          const reply = await server.request(method, '/v1/sessions', undefined, headers);
          assert.deepEqual([origin, reply.status, reply.body['type']], [origin, 403, '/problems/forbidden']);
          const told = [...reply.headers.keys()].filter((name) => name.startsWith('access-control-'));
          assert.deepEqual(told, []);
        }
      }
    });
  }

  test('learns nothing by OPTIONS alone, which makes and shows nothing', async (t) => {
    const server = await startServer(t, { env });
    const { status, body, headers } = await server.request('OPTIONS', '/v1/sessions');
    assert.deepEqual([status, body, headers.get('access-control-allow-origin')], [204, {}, null]);
  });
});
