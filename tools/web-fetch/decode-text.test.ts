import assert from 'node:assert/strict';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { decodeText } from './decode-text.ts';

const japanese = '日本語のページです。文字化けしないこと。';
const german = 'Grüße aus Köln: Äpfel, Öl, Übermut, Straße';
const page = (text: string, head = ''): string => `<html><head>${head}<title>t</title></head><body><p>${text}</p></body></html>`;
const oldMeta = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">';
const utf16 = Buffer.from(german, 'utf16le');

const cases: Readonly<Record<string, readonly [contentType: string, bytes: Buffer, text: string]>> = {
  'that the header names': ['text/html; charset=Shift_JIS', iconv.encode(page(japanese), 'Shift_JIS'), japanese],
  'that the header names in quotes': ['text/html;charset="koi8-r"', iconv.encode(page('Привет, мир'), 'koi8-r'), 'Привет, мир'],
  'that the page names': ['text/html', iconv.encode(page(japanese, '<meta charset="shift_jis">'), 'Shift_JIS'), japanese],
  'that an old meta tag names': ['text/html', iconv.encode(page(german, oldMeta), 'latin1'), german],
  'that an XML declaration names': [
    'text/xml',
    iconv.encode(`<?xml version="1.0" encoding="EUC-JP"?><a>${japanese}</a>`, 'EUC-JP'),
    japanese,
  ],
  'that a mark shows': ['text/plain', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), german],
  'of two bytes that the header names': ['text/plain; charset=utf-16le', utf16, german],
  'that was declared wrongly': ['text/html; charset=utf-8', iconv.encode(page(german), 'latin1'), german],
  'that is UTF-8 whatever was declared': ['text/html; charset=iso-8859-1', Buffer.from(page(german)), german],
  'that nobody declared': ['text/plain', iconv.encode(japanese.repeat(5), 'Shift_JIS'), japanese],
  'that does not exist': ['text/plain; charset=none-such', Buffer.from(german), german],
};

for (const [name, [contentType, bytes, text]] of Object.entries(cases)) {
  test(`Text in an encoding ${name} is read`, () => {
    const read = decodeText(bytes, contentType) ?? '';
    assert.ok(read.includes(text), read);
    assert.ok(!read.startsWith('\uFEFF'));
  });
}

test('Bytes with NUL among them are no text, whatever was declared', () => {
  assert.equal(decodeText(Buffer.from([1, 2, 0, 0, 3, 255, 254, 7]), 'text/html; charset=utf-8'), null);
});
