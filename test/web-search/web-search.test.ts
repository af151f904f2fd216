import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, test, type TestContext } from 'node:test';
import { SEARCH_PROVIDERS, type WebHit, type WebQuery } from '../../src/contract/index.ts';
import { createWebSearch, type WebSearchOptions } from '../../src/web-search/create-web-search.ts';
import { WebSearchError } from '../../src/web-search/search-error.ts';
import { engine, type EngineHit, type EngineRequest } from './engines.ts';
import { localWeb, serve } from './local-web.ts';

const KEY = 'key-that-nobody-may-see';
const HITS: EngineHit[] = [
  {
    title: 'Node.js &amp; <strong>streams</strong>',
    url: 'https://nodejs.org/api/stream.html',
    text: 'How <b>streams</b>\n work &#x27;now&#x27;',
  },
  { title: 'Elsewhere', url: 'https://blog.example.com/streams', text: '' },
];

type Given = Partial<Omit<WebQuery, 'signal'>> & { readonly signal?: AbortSignal };

async function search(
  t: TestContext,
  answer: RequestListener,
  options: Partial<WebSearchOptions> = {},
  given: Given = {},
): Promise<readonly WebHit[]> {
  const url = await serve(t, answer);
  const ask = createWebSearch({ provider: 'searxng', url, apiKey: KEY, fetch, ...options });
  const { signal = new AbortController().signal, ...rest } = given;
  return ask({ query: 'streams', allowedDomains: [], blockedDomains: [], maxResults: 10, signal, ...rest });
}

const saying = (text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof WebSearchError, String(error));
  assert.match(error.message, text);
  assert.doesNotMatch(JSON.stringify([error, error.cause, error.stack]), new RegExp(`${KEY}|127\\.0\\.0\\.1`));
  return true;
};

describe('each engine', () => {
  for (const provider of SEARCH_PROVIDERS) {
    test(`${provider} gives title, URL and a plain snippet, and no result where there is none`, async (t) => {
      assert.deepEqual(await search(t, engine(provider, HITS), { provider }), [
        { title: 'Node.js & streams', url: 'https://nodejs.org/api/stream.html', snippet: "How streams work 'now'" },
        { title: 'Elsewhere', url: 'https://blog.example.com/streams', snippet: '' },
      ]);
      assert.deepEqual(await search(t, engine(provider, []), { provider }), []);
    });
  }

  test('is asked in its own way, with its key where it looks for it', async (t) => {
    const asked: EngineRequest[] = [];
    for (const provider of SEARCH_PROVIDERS) {
      await search(t, engine(provider, HITS, asked), { provider }, { allowedDomains: ['nodejs.org'], maxResults: 7 });
    }
    const [searxng, brave, tavily] = asked;
    assert.deepEqual(
      [searxng?.method, searxng?.path, searxng?.parameters],
      ['GET', '/search', { q: 'streams site:nodejs.org', format: 'json' }],
    );
    assert.deepEqual([brave?.method, brave?.path], ['GET', '/res/v1/web/search']);
    assert.deepEqual([brave?.parameters['q'], brave?.parameters['count']], ['streams site:nodejs.org', '7']);
    assert.equal(brave?.headers['x-subscription-token'], KEY);
    assert.deepEqual([tavily?.method, tavily?.path], ['POST', '/search']);
    assert.deepEqual(tavily?.body, { query: 'streams', max_results: 7, include_domains: ['nodejs.org'] });
    assert.equal(tavily?.headers.authorization, `Bearer ${KEY}`);
  });

  test('may be given with the path of its search, or below a path of its own', async (t) => {
    const asked: EngineRequest[] = [];
    const origin = await serve(t, engine('searxng', HITS, asked));
    for (const path of ['', '/', '/search', '/engine/', '/engine/search']) {
      const ask = createWebSearch({ provider: 'searxng', url: origin + path, fetch });
      await ask({
        query: 'x',
        allowedDomains: [],
        blockedDomains: ['a.com', 'b.com'],
        maxResults: 1,
        signal: new AbortController().signal,
      });
    }
    assert.deepEqual(
      asked.map(({ path }) => path),
      ['/search', '/search', '/search', '/engine/search', '/engine/search'],
    );
    assert.equal(asked[0]?.parameters['q'], 'x -site:a.com -site:b.com');
  });
});

describe('results', () => {
  const hit = (url: string): EngineHit => ({ title: url, url, text: 'text' });
  const urls = (hits: readonly WebHit[]): string[] => hits.map(({ url }) => url);

  test('come only from hosts that were asked for, whatever the engine gives', async (t) => {
    const hits = ['https://a.org/', 'https://x.a.org/', 'https://nota.org/', 'https://b.org/', 'https://a.org.evil.com/'].map(hit);
    const allowed = await search(t, engine('searxng', hits), {}, { allowedDomains: ['A.org'] });
    assert.deepEqual(urls(allowed), ['https://a.org/', 'https://x.a.org/']);
    const blocked = await search(t, engine('tavily', hits), { provider: 'tavily' }, { blockedDomains: ['*.a.org', 'b.org'] });
    assert.deepEqual(urls(blocked), ['https://nota.org/', 'https://a.org.evil.com/']);
    await assert.rejects(search(t, engine('searxng', hits), {}, { allowedDomains: ['a b'] }), saying(/names of hosts alone/));
  });

  test('are few, each once, with a URL of the web and texts of bounded size', async (t) => {
    const odd = ['javascript:alert(1)', 'not a url', 'ftp://a.org/', 'https://a.org/1', 'https://a.org/1'].map(hit);
    const many = Array.from({ length: 100 }, (_, index) => hit(`https://b.org/${index}`));
    const long = { title: 't'.repeat(5_000), url: 'https://c.org/', text: '<i>s</i>'.repeat(5_000) };
    const found = await search(t, engine('searxng', [...odd, long, ...many]), {}, { maxResults: 1_000 });
    assert.deepEqual(urls(found).slice(0, 3), ['https://a.org/1', 'https://c.org/', 'https://b.org/0']);
    assert.equal(found.length, 20);
    assert.ok((found[1]?.title.length ?? 0) < 300 && (found[1]?.snippet.length ?? 0) < 600);
  });
});

describe('an engine that fails', () => {
  const json =
    (text: string): RequestListener =>
    (_, response) =>
      response.setHeader('content-type', 'application/json').end(text);
  const status =
    (code: number): RequestListener =>
    (_, response) =>
      response.writeHead(code).end(`no, ${KEY}`);

  test('is told in words that say what to do, and never show its key or address', async (t) => {
    const failures: [RequestListener, RegExp][] = [
      [status(401), /does not accept the key/],
      [status(403), /refuses this service/],
      [status(429), /asked too often: wait/],
      [status(500), /failed with status 500/],
      [json('<html>'), /did not answer with JSON/],
      [json('{"results": [{"url": 5}]}'), /no result/],
      [json('[]'), /no result/],
      [json(`{"results": [], "x": "${'x'.repeat(3_000_000)}"}`), /more than can be read/],
      [(request) => request.socket.destroy(), /could not be reached/],
    ];
    for (const [answer, text] of failures) await assert.rejects(search(t, answer), saying(text));
  });

  test('with a redirect is not followed, so that its key goes nowhere else', async (t) => {
    const other: EngineRequest[] = [];
    const elsewhere = await serve(t, engine('brave', HITS, other));
    const moved = search(t, (_, response) => response.writeHead(302, { location: `${elsewhere}/res/v1/web/search` }).end(), {
      provider: 'brave',
    });
    await assert.rejects(moved, saying(/moved to another address/));
    assert.deepEqual(other, []);
  });

  test('by being slow is given up when the time is over, or when the call stops', async (t) => {
    await assert.rejects(
      search(t, () => {}, { timeoutMs: 200 }),
      saying(/did not answer within 0\.2 seconds/),
    );
    await assert.rejects(
      search(t, (_, response) => response.write('{"results"'), { timeoutMs: 200 }),
      saying(/within 0\.2 seconds/),
    );
    const stop = new AbortController();
    const reason = { kind: 'aborted', message: 'The user stopped it.' };
    const stopped = search(t, () => stop.abort(reason), {}, { signal: stop.signal });
    await assert.rejects(stopped, (error) => error === reason);
  });
});

test('A service without a search engine says so', async (t) => {
  const query = { query: 'x', allowedDomains: [], blockedDomains: [], maxResults: 1, signal: new AbortController().signal };
  await assert.rejects(localWeb(t).search(query), /has no search engine/);
});
