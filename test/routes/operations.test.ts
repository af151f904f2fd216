import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PROBLEM_CODES } from '../../src/contract/index.ts';
import { PROBLEM_HELP } from '../../routes/problem-help.ts';
import { startServer } from '../support/server.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the page of a problem', () => {
  test('is JSON for programs, and needs no key', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: 'me:secret-key' } });
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json, text/html' }]) {
      const reply = await server.request('GET', '/problems/turn-queue-full', undefined, headers);
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
      const { type, title, status, help } = reply.body;
      assert.deepEqual([type, title, status], ['/problems/turn-queue-full', 'Turn queue full', 429]);
      assert.equal(help, PROBLEM_HELP['turn-queue-full']);
    }
  });

  test('is one to read for browsers, which loads and runs nothing', async (t) => {
    const server = await startServer(t);
    const reply = await server.request('GET', '/problems/unauthorized', undefined, { accept: BROWSER });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.equal(reply.headers.get('vary')?.includes('accept'), true);
    const page = reply.body['text'] as string;
    assert.match(page, /<h1>Unauthorized<\/h1>/);
    assert.match(page, /Status 401/);
    assert.match(page, /Bearer &lt;key&gt;/);
  });

  test('of an unknown name lists those that there are', async (t) => {
    const server = await startServer(t);
    const { status, body } = await server.request('GET', '/problems/nope');
    assert.equal(status, 404);
    for (const code of PROBLEM_CODES) assert.ok((body['detail'] as string).includes(code), code);
  });

  test('names all that may be forbidden', async (t) => {
    const server = await startServer(t);
    const { help } = (await server.request('GET', '/problems/forbidden')).body;
    for (const reason of [/workspace/i, /mode/, /origin/, /sandbox/, /ticket/]) assert.match(help, reason);
  });
});
