import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWithin } from '../../src/contract/index.ts';

test('a directory holds itself and what is below it, whatever the names begin with', () => {
  for (const path of ['/w', '/w/', '/w/a', '/w/a/b', '/w/..data', '/w/..', '/w/.../a', '/w/a..']) {
    assert.equal(isWithin('/w', path), path !== '/w/..', path);
  }
  assert.ok(isWithin('/', '/') && isWithin('/', '/etc'));
  assert.ok(isWithin('/w/', '/w/a'));
});

test('a directory does not hold its parent, its neighbours, or what may lead out of it', () => {
  for (const path of ['/', '/v', '/w2', '/w2/a', '/w-beside', 'w', 'w/a', '', '/w/../v', '/w/a/../../v', '/w/a/..']) {
    assert.equal(isWithin('/w', path), false, path);
  }
});
