import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allowsTarget, parseDomains } from '../../src/network/domain-list.ts';

const allows = (entries: string[], host: string, port = 443) => allowsTarget(parseDomains(entries), { host, port });

describe('the allowed domains of a session', () => {
  test('with a plain name mean that host alone', () => {
    assert.ok(allows(['Example.com'], 'example.com'));
    for (const host of ['www.example.com', 'example.com.evil.com', 'evilexample.com', 'example.co', 'com']) {
      assert.equal(allows(['example.com'], host), false, host);
    }
  });

  test('with a star mean every host below, and not the name itself', () => {
    assert.ok(allows(['*.example.com'], 'a.example.com'));
    assert.ok(allows(['*.example.com'], 'a.b.example.com'));
    for (const host of ['example.com', 'evilexample.com', 'a.example.com.evil.com', '.example.com.x']) {
      assert.equal(allows(['*.example.com'], host), false, host);
    }
  });

  test('mean the ports of the web, or the one they name', () => {
    for (const port of [80, 443]) assert.ok(allows(['example.com'], 'example.com', port));
    assert.equal(allows(['example.com'], 'example.com', 22), false);
    assert.ok(allows(['*.example.com:8443'], 'a.example.com', 8443));
    assert.equal(allows(['*.example.com:8443'], 'a.example.com', 443), false);
  });

  test('know a host in each of its spellings', () => {
    assert.ok(allows(['bücher.example'], 'xn--bcher-kva.example'));
    assert.ok(allows(['example.com.'], 'example.com'));
    assert.ok(allows(['[2606:4700:0::1111]'], '2606:4700::1111'));
    assert.ok(allows(['8.8.2056'], '8.8.8.8'));
  });

  test('let nothing through when the list is empty', () => {
    assert.equal(allows([], 'example.com'), false);
  });

  test('that cannot be read say which one and what to write', () => {
    const wrong: [string, RegExp][] = [
      ['*', /^\* is no host: give a name such as example\.com/],
      ['*.com', /^\*\.com is too wide/],
      ['*.8.8.8.8', /is too wide/],
      ['*.*.com', /is no host/],
      ['a.*.com', /is no host/],
      ['exa*.com', /is no host/],
      ['https://example.com', /give its name alone/],
      ['example.com/path', /give its name alone/],
      ['me@example.com', /give its name alone/],
      ['example.com\0.evil.com', /is no host/],
      ['example.com ', /is no host/],
      ['example..com', /is no host/],
      ['example.com:99999', /no port from 1 to 65535/],
      ['', /is no host/],
    ];
    for (const [entry, message] of wrong) assert.throws(() => parseDomains([entry]), { message }, entry);
  });
});
