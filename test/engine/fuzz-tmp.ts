import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { sanitizeError, wrapToolError } from '/work/main/src/engine/sanitize-error.ts';
const { cases } = JSON.parse(readFileSync('/work/main/test/cases/injection.json', 'utf8'));
const pats: RegExp[] = [];
const CLOSE = '</tool_use_error>';
for (const c of cases)
  for (const p of c.must_not_match ?? []) {
    if (p === '<' || p === '\u200d' || p === '200d' || p === '(?!)' || p.includes('ud800') || p.includes('{{') || p.includes('\\{'))
      continue;
    let src = p,
      flags = '';
    const m = /^\(\?([ims]+)\)/.exec(src);
    if (m) {
      flags = m[1]!;
      src = src.slice(m[0].length);
    }
    pats.push(new RegExp(src, flags));
  }
const frag = fc.constantFrom(
  '<',
  '</',
  '/',
  'sys',
  'tem',
  'system',
  'user',
  'User',
  'Human',
  '>',
  '/>',
  '|',
  '|>',
  '<|',
  'im_start',
  'turn',
  '[',
  '/',
  'IN',
  'ST',
  'INST',
  ']',
  '<<',
  'SYS',
  '>>',
  '`',
  '``',
  '```',
  '~',
  '~~',
  '~~~',
  '\n',
  '\r',
  '\t',
  ' ',
  '\u200b',
  '\u001b',
  '\u001b[0m',
  '\u001b]8;;x\u0007',
  '\u009b',
  '\u009d0;',
  '\u009c',
  ']]',
  '<![',
  'CDATA',
  '[',
  'tool_use_error',
  'tool_',
  'call',
  'Human',
  'Assistant',
  ':',
  '\u0301',
  '｜',
  'ѕ',
  '＜',
  '👩',
  '\u200d',
  '\ufe0f',
  '🏴',
  '\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  '\u{E0067}',
  '\ud800',
  '\udc00',
  'م',
  '\u200c',
  'a',
  '1',
  '\u20e3',
  '≮',
  '#',
  '##',
  '*',
  'think',
  'antml:',
  '=',
  'name',
  '"',
  '.',
  '‹',
  '⁅',
  "'",
  '-',
  '·',
  '›',
  '&lt;',
  'e~',
  '~b',
  '[e',
  '!',
  '$',
  ',',
  's',
  'bos',
  'ﷺ',
  'ﬆ',
  '\u2028',
  '\u0085',
  '\ufdd0',
  '𝗌',
);
const text = fc.array(frag, { maxLength: 14 }).map((x) => x.join(''));
fc.assert(
  fc.property(text, fc.constantFrom(10000, 10000, 300, 200, 40, 5, 0), (t, limit) => {
    const o = sanitizeError(t.repeat(limit < 1000 ? 20 : 1), limit);
    assert.equal(sanitizeError(o, limit), o);
    assert.ok(o.length <= limit);
    assert.ok(o.isWellFormed());
    for (const p of pats) assert.ok(!p.test(o), p.source + ' in ' + JSON.stringify(o));
    const w = wrapToolError(t);
    for (const p of pats) if (!p.source.includes('tool_use')) assert.ok(!p.test(w), p.source + ' in ' + JSON.stringify(w));
  }),
  { numRuns: Number(process.argv[2] ?? 30000) },
);
