// The lines of `lines.txt`: with a `+` only reads, with a `-` may do more, most of them one word apart. `⏎` stands for a new line.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

const sections = readFileSync(new URL('./lines.txt', import.meta.url), 'utf8')
  .split(/^# /m)
  .slice(1);

describe('every line is judged as it is known to be:', () => {
  for (const section of sections) {
    const [title = '', ...lines] = section.split('\n');
    test(title, () => {
      const judged = lines.filter((line) => line !== '');
      assert.ok(judged.length > 0 && judged.every((line) => /^[+-] /.test(line)), 'every line begins with + or -');
      const others = judged.filter((line) => isReadOnlyCommand(line.slice(2).replaceAll('⏎', '\n')) !== line.startsWith('+'));
      assert.deepEqual(others, []);
    });
  }
});
