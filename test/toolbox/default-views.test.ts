import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleTool } from './sample-tools.ts';

describe('A tool that only draws its call', () => {
  const tool = sampleTool('Count', { renderUse: (input) => ({ title: `Count lines of ${(input as { path: string }).path}` }) });

  test('has results and refusals under the same title', () => {
    const title = 'Count lines of a.txt';
    assert.deepEqual(tool.renderResult({ path: 'a.txt' }, { content: '2 lines' }), { title, body: { kind: 'text', text: '2 lines' } });
    assert.deepEqual(tool.renderResult({ path: 'a.txt' }, { content: [] }), { title });
    assert.deepEqual(tool.renderRejected({ path: 'a.txt' }, 'no'), { title, subtitle: 'not allowed', body: { kind: 'text', text: 'no' } });
  });

  test('and cannot, has them under its name', () => {
    assert.equal(tool.renderResult(null, { content: '2 lines' }).title, 'Count');
    assert.equal(sampleTool('Plain').renderResult({}, { content: 'x' }).title, 'Plain');
  });
});
