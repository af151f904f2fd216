import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cachedPage, cachePage } from './page-cache.ts';

test('a page is remembered for fifteen minutes, in the session that fetched it', async (t) => {
  const began = performance.now();
  let minutes = 0;
  t.mock.method(performance, 'now', () => began + minutes * 60_000);
  const page = { content: 'text', url: 'https://example.com/', contentType: 'text/html', bytes: 4 };
  cachePage('ses_a', page.url, page);
  for (const [after, found] of [
    [0, page],
    [14.9, page],
    [15.1, undefined],
  ] as const) {
    minutes = after;
    // The cache looks at the clock once a millisecond.
    await sleep(5);
    assert.deepEqual(cachedPage('ses_a', page.url), found, `${after} minutes later`);
    assert.equal(cachedPage('ses_b', page.url), undefined);
  }
});
