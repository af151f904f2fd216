// Patterns of paths, against the reference for `.gitignore` where the two mean the same.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import ignore from 'ignore';
import { matchPath, parsePathPattern, type PathBases } from '../../src/permissions/patterns/path-pattern.ts';

const BASES: PathBases = { home: '/home/u', source: '/settings', workspace: '/w', roots: ['/w', '/more'] };

function matches(pattern: string, path: string, broad = false): boolean {
  return matchPath(parsePathPattern(pattern, broad), path, BASES);
}

describe('a pattern', () => {
  test('matches what gitignore matches', () => {
    const name = fc
      .string({ unit: fc.constantFrom('a', 'b', '.', '-'), minLength: 1, maxLength: 4 })
      .filter((each) => !/^\.{1,2}$/.test(each));
    const piece = fc.oneof(
      name,
      fc.constantFrom('*', '**', '?', 'a*', '*b', '*.*', '[ab]', '[!a]*', '[a-b]?', String.raw`\a`, String.raw`\*`, 'a**b'),
    );
    const pattern = fc
      .tuple(fc.constantFrom('', './', '**/'), fc.array(piece, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '/'))
      .map(([start, pieces, end]) => start + pieces.join('/') + end)
      // Here `a/**/` and `a/**/**` are the same as `a/**`.
      .filter((given) => !given.endsWith('**/') && !given.includes('**/**'));
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(pattern, path, (given, at) => {
        // What `./x` means is `/x` there.
        const reference = ignore().add(given.replace(/^\.\//, '/'));
        assert.equal(matches(given, `/w/${at}`), reference.ignores(at), `${given} on ${at}`);
      }),
      { numRuns: 5_000, seed: 45 },
    );
  });

  test('starts where its beginning says', () => {
    assert.ok(matches('//etc/hosts', '/etc/hosts') && !matches('//etc/hosts', '/w/etc/hosts'));
    assert.ok(matches('~/.ssh/**', '/home/u/.ssh/a/b') && !matches('~/.ssh/**', '/w/.ssh/a'));
    assert.ok(matches('/src/*.ts', '/settings/src/a.ts') && !matches('/src/*.ts', '/w/src/a.ts'));
    assert.ok(matches('./a', '/w/a') && !matches('./a', '/w/x/a') && !matches('./a', '/more/a'));
    assert.ok(matches('src/a', '/w/src/a') && !matches('src/a', '/w/x/src/a'));
    assert.ok(matches('.env', '/w/x/.env') && matches('.env', '/more/.env') && !matches('.env', '/other/.env'));
    assert.ok(!matches('a', '/w2/a') && !matches('./a', '/wa'));
    assert.ok(matches('.', '/w/x') && matches('./', '/w/x') && !matches('.', '/more/x'));
    assert.ok(matches('//**/x', '/x') && matches('//**', '/etc') && !matches('//x', '/y/x'));
    assert.ok(matches('~', '/home/u/x', true) && !matches('~', '/home/us/x', true));
  });

  test('that forbids takes a directory together with what is in it, at any depth when it is named alone', () => {
    for (const path of ['/w/secrets', '/w/secrets/a/b', '/w/x/secrets/a']) assert.ok(matches('secrets/**', path, true), path);
    assert.ok(matches('build/', '/w/build', true) && matches('build/', '/w/x/build/o', true));
    assert.ok(!matches('secrets/**', '/w/secrets') && !matches('secrets/**', '/w/x/secrets/a') && !matches('build/', '/w/build'));
    assert.ok(matches('/**', '/settings', true) && !matches('/**', '/settings'));
  });

  test('is case sensitive, and takes other alphabets as they are', () => {
    assert.ok(matches('[^a]', '/w/b') && !matches('[^a]', '/w/a') && matches('a**/c', '/w/ab/c') && !matches('a**/c', '/w/x/y/c'));
    assert.ok(matches('[a-]', '/w/-') && matches('[]a]', '/w/]') && matches(String.raw`[\]]`, '/w/]') && !matches('[a-c]', '/w/-'));
    assert.ok(!matches('.ENV', '/w/.env') && matches('[α-ω]?', '/w/βé') && matches('?', '/w/😀'));
  });
});
