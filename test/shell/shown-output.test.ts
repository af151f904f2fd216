import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { showOutput } from '../../src/shell/session-command/shown-output.ts';
import { toolHarness } from '../support/tool-harness.ts';

test('what a model is shown of an output is never cut inside a character, at either end, and the bytes left out are counted', async (t) => {
  const { outputs } = await toolHarness(t);
  const path = join(outputs, 'printed.txt');
  const printed = '😀é€a€é😀'.repeat(100);
  await writeFile(path, printed);
  const bytes = Buffer.byteLength(printed);
  for (let maxChars = 40; maxChars < 80; maxChars += 1) {
    const head = await showOutput(path, { bytes, maxChars, withTail: false });
    assert.ok(head.cut && printed.startsWith(head.text) && head.text.length > maxChars - 3);
    const { text, cut } = await showOutput(path, { bytes, maxChars, withTail: true });
    const [gap, leftOut] = /\n\[\.{3} (\d+) of 1900 bytes were left out here \.{3}\]\n/.exec(text) ?? assert.fail(text);
    const [start = '', end = ''] = text.split(gap);
    assert.ok(cut && printed.startsWith(start) && printed.endsWith(end), text);
    assert.equal(Buffer.byteLength(start + end) + Number(leftOut), bytes);
    assert.ok(start.length + end.length <= maxChars && start.length + end.length > maxChars - 5);
  }
  const hidden = `${'\0'.repeat(7)}é😀`.repeat(100);
  await writeFile(path, hidden);
  for (let maxChars = 40; maxChars < 80; maxChars += 1) {
    const head = await showOutput(path, { bytes: Buffer.byteLength(hidden), maxChars, withTail: false });
    assert.match(head.text, /^(?:é😀)*é?$/u);
    const { text } = await showOutput(path, { bytes: Buffer.byteLength(hidden), maxChars, withTail: true });
    assert.match(text, /^(?:é😀)*é?\n\[.*\]\n😀?(?:é😀)*$/u, 'also where little of what is read can be seen');
  }
});
