import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { detectEncoding } from '../../../src/workspace/content/detect-encoding.ts';

function bytesIn(encoding: string, text: string, mark = false): Buffer {
  return iconv.encode(text, encoding, { addBOM: mark });
}

/** The name of the encoding found and the text read by it. */
function read(bytes: Buffer): [string | undefined, string | undefined] {
  const encoding = detectEncoding(bytes);
  return [encoding?.name, encoding?.decode(bytes.subarray(encoding.bom.length))];
}

describe('text is recognised', () => {
  const cases: [name: string, bytes: Buffer, text: string][] = [
    ['UTF-8', bytesIn('utf8', 'naïve ☕ 🎉'), 'naïve ☕ 🎉'],
    ['UTF-8', Buffer.alloc(0), ''],
    ['UTF-8 with BOM', bytesIn('utf8', 'naïve', true), 'naïve'],
    ['UTF-16 LE', bytesIn('utf16le', 'naïve\n🎉', true), 'naïve\n🎉'],
    ['UTF-16 BE', bytesIn('utf16be', 'naïve\n🎉', true), 'naïve\n🎉'],
    ['UTF-16 LE without BOM', bytesIn('utf16le', 'line\nnaïve\n'), 'line\nnaïve\n'],
    ['UTF-16 BE without BOM', bytesIn('utf16be', 'line\n日本\n'), 'line\n日本\n'],
    ['ISO-8859-1', bytesIn('latin1', 'café'), 'café'],
    ['ISO-8859-1', bytesIn('latin1', '// Grüße aus München © 2020\n'), '// Grüße aus München © 2020\n'],
    ['windows-1252', bytesIn('windows-1252', 'the “price” is 5 €'), 'the “price” is 5 €'],
    ['windows-1251', bytesIn('windows-1251', 'Привет, мир. Это простой текст.'), 'Привет, мир. Это простой текст.'],
    ['Shift_JIS', bytesIn('shift_jis', '日本語のテキストです。こんにちは'), '日本語のテキストです。こんにちは'],
  ];
  for (const [name, bytes, text] of cases) {
    test(`${name}: ${JSON.stringify(text)}`, () => assert.deepEqual(read(bytes), [name, text]));
  }

  test('UTF-8 with a damaged place stays UTF-8', () => {
    const text = 'Überall schöne größere Wörter äöü. '.repeat(10);
    const [name, decoded] = read(Buffer.concat([Buffer.from(text), Buffer.from([0xff]), Buffer.from('Ende')]));
    assert.equal(name, 'UTF-8');
    assert.equal(decoded, `${text}\uFFFDEnde`);
  });

  test('a guess whose bytes would not survive it is not taken', () => {
    const bytes = Buffer.concat([bytesIn('shift_jis', '日本語のテキストです。'.repeat(9)), Buffer.from([0x0a, 0xfd, 0x0a])]);
    const encoding = detectEncoding(bytes);
    assert.deepEqual(encoding?.fromUnits(encoding.toUnits(bytes)), bytes);
  });

  test('a beginning that cuts a character in two is still UTF-8', () => {
    const bytes = Buffer.from('aaa☕').subarray(0, -1);
    assert.equal(detectEncoding(bytes, { complete: false })?.name, 'UTF-8');
  });
});

describe('what holds NUL is no text', () => {
  const binaries = {
    numbers: [1, 0, 0, 0, 2, 0, 0, 0],
    ELF: [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0],
    'text with a NUL': [...Buffer.from('ab\0cd')],
  };
  for (const [name, bytes] of Object.entries(binaries)) {
    test(name, () => assert.equal(detectEncoding(Buffer.from(bytes)), null));
  }
});

test('bytes survive the way to units and back, whatever they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (array) => {
      const bytes = Buffer.from(array);
      const encoding = detectEncoding(bytes);
      if (!encoding) return;
      const body = bytes.subarray(encoding.bom.length);
      assert.deepEqual(Buffer.concat([encoding.bom, encoding.fromUnits(encoding.toUnits(body))]), bytes);
    }),
    { numRuns: 2000 },
  );
});

test('an encoding says so when it cannot hold a character', () => {
  const latin1 = detectEncoding(bytesIn('latin1', 'café'));
  assert.equal(latin1?.encode('€'), null);
  assert.deepEqual(latin1?.encode('é'), Buffer.from([0xe9]));
  assert.equal(detectEncoding(Buffer.from('a'))?.encode('\uD800'), null);
});
