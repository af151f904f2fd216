import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPublicAddress } from '../../src/network/address.ts';
import { checkUrl } from '../../src/network/check-url.ts';
import { NO_EGRESS, parseEgress } from '../../src/network/egress.ts';

const opens = (entries: string[], url: string) => checkUrl(url, parseEgress(entries)).ok;

describe("an operator's exemption", () => {
  test('of a host opens that name, on every port, and no other', () => {
    const rules = ['Git.Corp.internal'];
    assert.ok(opens(rules, 'http://git.corp.internal/'));
    assert.ok(opens(rules, 'http://git.corp.internal.:22000/'));
    for (const url of ['http://corp.internal/', 'http://x.git.corp.internal/', 'http://git.corp.internal.evil.internal/']) {
      assert.equal(opens(rules, url), false, url);
    }
  });

  test('of a host with a port opens that port alone', () => {
    assert.ok(opens(['wiki:3000'], 'http://wiki:3000/'));
    assert.equal(opens(['wiki:3000'], 'http://wiki/'), false);
    assert.equal(opens(['wiki:443'], 'http://wiki/'), false);
    assert.ok(opens(['wiki:443'], 'https://wiki/'));
  });

  test('of an address or a network opens it in every spelling', () => {
    for (const url of [
      'http://10.1.2.3/',
      'http://10.1.2.3:9200/',
      'http://0xa010203/',
      'http://[::ffff:10.1.2.3]/',
      'http://[64:ff9b::10.1.2.3]/',
    ]) {
      for (const rule of ['10.0.0.0/8', '10.1.2.3', '10.1.2.3/32']) assert.ok(opens([rule], url), `${rule} ${url}`);
      assert.equal(opens(['10.1.2.4', '192.168.0.0/16', 'fd00::/8'], url), false, url);
    }
    for (const rule of ['fd12::/16', 'fd12::1', '[fd12::1]', '[fd12::1]:8080']) assert.ok(opens([rule], 'http://[fd12::1]:8080/'), rule);
    assert.equal(opens(['[fd12::1]:8080'], 'http://[fd12::1]:8081/'), false);
  });

  test('of a network does not open names that lie in private networks, nor where a machine is told its credentials', () => {
    assert.equal(opens(['0.0.0.0/0'], 'http://printer.local/'), false);
    for (const address of ['169.254.169.254', '100.100.100.200', '168.63.129.16', '[fd00:ec2::254]', '[::ffff:169.254.169.254]']) {
      assert.equal(opens(['0.0.0.0/0', '169.254.0.0/16', '::/0'], `http://${address}/`), false, address);
    }
    assert.ok(opens(['169.254.169.254'], 'http://169.254.169.254/'));
  });

  test('that cannot be read says which it is and what to write', () => {
    const wrong: [string, RegExp][] = [
      ['https://git.example.com', /^https:\/\/git\.example\.com is a URL: give its host alone/],
      ['*.example.com', /^\*\.example\.com is no host: .*without \*/],
      ['git.example.com:0', /no port from 1 to 65535/],
      ['git.example.com:http', /no port from 1 to 65535/],
      ['git.example.com:', /no port from 1 to 65535/],
      ['10.0.0.0/33', /is no network/],
      ['10.0.0.0/', /is no network/],
      ['10.0.0.1/8', /give 10\.0\.0\.0\/8, or the address alone/],
      ['fd00::1/8', /give fd00::\/8/],
      ['::ffff:10.0.0.0/104', /give the IPv4 network/],
      ['user@host', /is no host/],
      ['a b', /is no host/],
      ['', /is no host/],
    ];
    for (const [entry, message] of wrong) assert.throws(() => parseEgress([entry]), { message }, entry);
  });
});

describe('an address', () => {
  test('is public only as an address of the internet in its usual spelling', () => {
    for (const text of ['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])
      assert.ok(isPublicAddress(text), text);
    const not = ['010.8.8.8', '8.8.8', '134744072', '0x8.8.8.8', '2606:4700::1%eth0', '8.8.8.8 ', '', 'example.com', '[2606:4700::1]'];
    for (const text of not) assert.equal(isPublicAddress(text), false, text);
  });

  test('inside a tunnel or a translation is not public, whatever it leads to', () => {
    for (const text of ['2002:808:808::', '2001:0:808:808::1', '::8.8.8.8', '64:ff9b:1::8.8.8.8', '::ffff:0:8.8.8.8']) {
      assert.equal(isPublicAddress(text), false, text);
    }
  });
});

describe('the reason why a URL is refused', () => {
  test('says what to change', () => {
    const reasons: [string, RegExp][] = [
      ['example.com', /give one such as https:\/\/example\.com/],
      ['ftp://example.com/', /begins with https:/],
      ['https://me:secret@example.com/', /leave out what stands before the @/],
      ['https://wiki/', /give the full name/],
      ['https://example.com:6379/', /only 80, 443 and 8000 to 8999/],
      [`https://example.com/${'a'.repeat(9000)}`, /shorten it/],
    ];
    for (const [url, reason] of reasons) {
      const check = checkUrl(url, NO_EGRESS);
      assert.ok(!check.ok, url);
      assert.match(check.reason, reason);
      assert.doesNotMatch(check.reason, /secret/);
    }
  });
});
