import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headersToForward, headersToReturn, pathToForward } from '../../src/cluster/hop-headers.ts';
import { listeningUrl } from '../../src/cluster/listening-url.ts';
import { readConfig } from '../../src/config.ts';

test('keys, cookies and what is said to one connection stay with the node that was asked', () => {
  const headers = {
    authorization: 'Bearer key',
    cookie: 'a=b',
    origin: 'https://app.example',
    host: 'tools.example',
    connection: 'keep-alive, X-Hop',
    'x-hop': '1',
    'sec-websocket-protocol': 'toolexec.key.a2V5',
    'sec-fetch-site': 'cross-site',
    'transfer-encoding': 'chunked',
    expect: '100-continue',
    'content-length': '5',
    'idempotency-key': 'k',
    accept: 'text/event-stream',
  };
  const kept = { 'idempotency-key': 'k', accept: 'text/event-stream' };
  assert.deepEqual(headersToForward(headers, false), kept);
  assert.deepEqual(headersToForward(headers, true), { ...kept, 'content-length': '5' });
});

test('a ticket goes no further, and the rest of the address stays as it was sent', () => {
  assert.equal(pathToForward('/v1/sessions/ses_1/stream?after=3&ticket=tkt_x'), '/v1/sessions/ses_1/stream?after=3');
  assert.equal(pathToForward('/a?%74icket=tkt_x'), '/a');
  assert.equal(pathToForward('/a/../%2e%2E//b%20c?x=%41&y'), '/a/../%2e%2E//b%20c?x=%41&y');
  assert.equal(pathToForward('http://tools.example:80/a?b'), '/a?b');
});

test('a reply keeps what its node said, under what the asked node says of itself', () => {
  const reply = { connection: 'keep-alive', 'keep-alive': 'timeout=72', etag: '"1"', vary: 'accept', 'x-request-id': 'theirs' };
  assert.deepEqual(headersToReturn(reply, { vary: 'Origin', 'x-request-id': 'ours' }), {
    etag: '"1"',
    vary: 'accept, Origin',
    'x-request-id': 'ours',
  });
  assert.deepEqual(headersToReturn({ connection: 'close' }, {}), { connection: 'close' });
});

test('a node is reached where it listens, unless the operator says where', () => {
  assert.equal(listeningUrl({ address: '127.0.0.1', port: 8080 }), 'http://127.0.0.1:8080');
  assert.equal(listeningUrl({ address: '::1', port: 8080 }), 'http://[::1]:8080');
  for (const address of ['0.0.0.0', '::']) {
    const url = listeningUrl({ address, port: 1234 });
    assert.match(url, /^http:\/\/.+:1234$/);
    assert.ok(!url.includes('0.0.0.0') && !url.includes('[::]'));
  }
  const given = { TOOLEXEC_ADVERTISE_URL: 'http://10.0.0.7:8080' };
  assert.equal(readConfig(given).advertisedUrl, 'http://10.0.0.7:8080');
  assert.equal(readConfig({ TOOLEXEC_ADVERTISE_URL: 'https://tools-1.example:443/' }).advertisedUrl, 'https://tools-1.example');
  assert.equal(readConfig({}).advertisedUrl, undefined);
  for (const wrong of ['10.0.0.7:8080', 'http://10.0.0.7/path', 'ftp://10.0.0.7', 'http://user:word@10.0.0.7']) {
    assert.throws(() => readConfig({ TOOLEXEC_ADVERTISE_URL: wrong }), /TOOLEXEC_ADVERTISE_URL .*give a URL such as/s, wrong);
  }
});
