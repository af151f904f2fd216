// What does not even get to a route: it is answered as all else that is wrong, and is no error of the service.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rawRequest } from '../routes/raw-request.ts';
import { startProcess, type ServerProcess } from '../support/process.ts';
import type { Json } from '../support/server.ts';

describe('what cannot be read', () => {
  const ends: (() => unknown)[] = [];
  let server: ServerProcess;
  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-unreadable-'));
    server = await startProcess({ after: (end: () => unknown) => void ends.push(end) }, { TOOLEXEC_DATA_DIR: dataDir });
    ends.push(() => rm(dataDir, { recursive: true, force: true }));
  });
  after(async () => {
    for (const end of ends) await end();
    await server.exited;
  });

  test('in an address is a problem under the id of its request, and says how to write it', async () => {
    for (const [path, detail] of [
      ['/%', /%25/],
      ['/v1/sessions/%zz', /%25/],
      ['/v1/sessions/%ff/turns', /%25/],
      [`/v1/sessions/${'a'.repeat(400)}`, /longer than 300 characters/],
    ] as const) {
      const head = [`GET ${path} HTTP/1.1`, `Host: ${new URL(server.url).host}`, 'X-Request-Id: mine'];
      const { status, headers, body } = await rawRequest(server.url, head);
      assert.deepEqual(
        [status, headers['content-type'], headers['x-request-id']],
        [400, 'application/problem+json; charset=utf-8', 'mine'],
      );
      assert.deepEqual([body['type'], body['instance']], ['/problems/invalid-request', 'mine']);
      assert.match(body['detail'], detail);
    }
  });

  test('as HTTP at all is a problem too', async () => {
    const host = `Host: ${new URL(server.url).host}`;
    for (const [head, expected] of [
      [['NONSENSE / HTTP/1.1', host], 400],
      [['GET / HTTP/1.1', host, `X-Long: ${'a'.repeat(20_000)}`], 431],
    ] as const) {
      const { status, headers, body } = await rawRequest(server.url, head);
      assert.deepEqual([status, body['status'], headers['content-type']], [expected, expected, 'application/problem+json']);
    }
  });

  test('as a frame ends its socket, and is no error in the log', async () => {
    const made = (await (await fetch(`${server.url}/v1/sessions`, { method: 'POST' })).json()) as Json;
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const upgrade = [
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    ];
    socket.write([`GET /v1/sessions/${made['id']}/stream HTTP/1.1`, `Host: ${host}`, ...upgrade, '', ''].join('\r\n'));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let sent = false;
    socket.on('error', () => {});
    socket.on('data', () => {
      if (!sent) socket.write(Buffer.from([0xff, 0x83, 1, 2, 3]));
      sent = true;
    });
    await closed;
    const told = (): Json[] => server.log.filter((line) => line.includes('WS_ERR_')).map((line) => JSON.parse(line) as Json);
    for (const until = performance.now() + 20_000; told().length === 0 && performance.now() < until;) await sleep(10);
    assert.deepEqual(
      told().map(({ level, session_id: id }) => [level, id]),
      [[30, made['id']]],
    );
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  });
});
