import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../support/server.ts';

test('/console', async (t) => {
  const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: 'me:a-long-random-key' } });
  const html = await (await fetch(`${server.url}/console`)).text();
  const asset = /src="([^"]+\.js)"/.exec(html)?.[1] ?? '';

  await t.test('is a page that needs no key and may run nothing but its own files', async () => {
    const { status, headers } = await fetch(`${server.url}/console`);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /text\/html/);
    const policy = (headers.get('content-security-policy') ?? '').split('; ');
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(rule), rule);
    assert.doesNotMatch(policy.join(), /unsafe/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  });

  await t.test('is the same page at every address below it, so that links lead back', async () => {
    for (const path of ['/console/', '/console/new', '/console/sessions/ses_1/files?call=a%2Fb'])
      assert.equal(await (await fetch(server.url + path)).text(), html, path);
  });

  await t.test('keeps its files with the browser for ever, and the page itself never unasked', async () => {
    const script = await fetch(server.url + asset);
    assert.equal(script.status, 200);
    assert.match(script.headers.get('content-type') ?? '', /javascript/);
    assert.match(script.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
    assert.ok((await script.text()).length > 1_000);
    const page = await fetch(`${server.url}/console`);
    assert.match(page.headers.get('cache-control') ?? '', /max-age=0/);
    const again = await fetch(`${server.url}/console`, {
      headers: { 'if-none-match': page.headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    });
    assert.equal(again.status, 304);
  });

  await t.test('is where a browser gets to that opens the bare address; for programs there is nothing', async () => {
    const at = (accept: string): Promise<Response> => fetch(`${server.url}/`, { headers: { accept }, redirect: 'manual' });
    const browser = await at('text/html,application/xhtml+xml,*/*;q=0.8');
    assert.deepEqual([browser.status, browser.headers.get('location')], [302, '/console']);
    for (const accept of ['*/*', 'application/json']) {
      const { status, headers } = await at(accept);
      assert.equal(status, 404, accept);
      assert.match(headers.get('content-type') ?? '', /problem\+json/);
    }
  });

  await t.test('has no other files, and tells nobody to remember that', async () => {
    for (const path of ['/console/assets/none.js', '/console/assets/..%2f..%2fpackage.json', '/console/assets/%2e%2e%2findex.html']) {
      const { status, headers } = await fetch(server.url + path);
      assert.ok(status === 400 || status === 404, `${path}: ${status}`);
      assert.doesNotMatch(headers.get('cache-control') ?? '', /immutable/);
    }
  });

  await t.test('opens nothing else: what the page asks for needs the key', async () => {
    assert.equal((await server.request('GET', '/v1/sessions')).status, 401);
  });
});
