import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { toolSuite } from '../../test/suites/tool.ts';
import { localWeb, serve } from '../../test/web-search/local-web.ts';
import { convertPage } from './convert-page.ts';
import { fetchAnswer } from './fetch-answer.ts';
import WebFetch from './index.ts';

/** Answers to `/drip` that have begun; they never end by themselves. */
const begun: ServerResponse[] = [];
const origin = await serve({ after }, (request, response) => {
  response.setHeader('content-type', 'text/html');
  if (request.url === '/silent') return;
  if (request.url === '/drip') {
    begun.push(response);
    response.write('<p>some');
  } else response.end('<title>Page</title><h1>Hello</h1><p>Some text</p>');
});
const web = localWeb({ after });

/** A page that takes long to convert: many paragraphs, all of them in a table. */
const LARGE = Buffer.from(`<table><tr>${'<td><p>some <b>text</b> of it</p></td></tr><tr>'.repeat(10_000)}</tr></table>`);
const large = { bytes: LARGE, contentType: 'text/html', url: 'https://example.com/' };

toolSuite({
  tool: WebFetch,
  input: { url: `${origin}/page`, prompt: 'What does it say?' },
  ports: () => ({ services: { web } }),
  endless: { input: { url: `${origin}/drip` } },
});

test('A server that is slow to answer, or drips, is given up when the time is over, and its connection closed', async () => {
  for (const path of ['/silent', '/drip']) {
    const answer = fetchAnswer({ web, url: origin + path, signal: new AbortController().signal, timeoutMs: 300 });
    await assert.rejects(answer, /There was no whole answer from [^ ]* within 0\.3 seconds/);
  }
  const last = begun.at(-1);
  if (last !== undefined && !last.destroyed) await once(last, 'close');
});

test('A call that stops while a page drips closes the connection', async () => {
  const stop = new AbortController();
  const count = begun.length;
  const answer = fetchAnswer({ web, url: `${origin}/drip`, signal: stop.signal });
  answer.catch(() => {});
  while (begun.length === count) await new Promise(setImmediate);
  const closed = once(begun.at(-1) as ServerResponse, 'close');
  const reason = { kind: 'aborted', message: 'The user stopped it.' };
  stop.abort(reason);
  await assert.rejects(answer, (error) => error === reason);
  await closed;
});

test('A page that takes too long to convert is given as its text', async () => {
  const reply = await convertPage(large, new AbortController().signal, { markdown: 1, text: 30_000 });
  assert.ok(reply?.kind === 'page');
  assert.equal(reply.form, 'text');
  assert.match(reply.text, /^some text of it\nsome text of it\n/);
});

test('A page that takes too long in any form is given up, and so is one whose call stops', async () => {
  assert.equal(await convertPage(large, new AbortController().signal, { markdown: 1, text: 1 }), null);
  const stop = new AbortController();
  const converting = convertPage(large, stop.signal);
  stop.abort();
  assert.equal(await converting, null);
});
