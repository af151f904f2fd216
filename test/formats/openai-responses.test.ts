import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '../../src/contract/index.ts';
import { formats } from '../../src/formats/formats.ts';
import { finished } from './frames.ts';

const { readCalls, writeMessages } = formats.openai_responses;

function item(callId: unknown, args: unknown = '{}') {
  return { type: 'function_call', id: 'fc_1', call_id: callId, name: 'Read', arguments: args, status: 'completed' };
}

function issuesOf(body: unknown) {
  try {
    readCalls(body);
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error.issues.map(({ path }) => path);
  }
  return assert.fail('the body was accepted');
}

describe('OpenAI Responses', () => {
  test('function calls of the output are read in order, other items are passed over', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      item('call_1', '{"a":1}'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'custom_tool_call', call_id: 'call_9', name: 'code', input: 'x' },
      item('call_2', ''),
    ];
    const calls = [
      { id: 'call_1', name: 'Read', input: { a: 1 } },
      { id: 'call_2', name: 'Read', input: {} },
    ];
    assert.deepEqual(readCalls({ output }), calls);
    assert.deepEqual(readCalls({ id: 'resp_1', object: 'response', status: 'completed', output, usage: {} }), calls);
    assert.deepEqual(readCalls(output), calls);
  });

  test('one bare item is one call', () => {
    assert.deepEqual(readCalls(item('call_1')), [{ id: 'call_1', name: 'Read', input: {} }]);
  });

  test('a call that was cut off is invalid, its siblings stay', () => {
    const [cut, whole] = readCalls({ output: [{ ...item('call_1', '{"a":"b'), status: 'incomplete' }, item('call_2')] });
    assert.match(cut?.inputError ?? '', /not valid JSON/);
    assert.equal(whole?.inputError, undefined);
  });

  test('a wrong shape is refused with the path of every fault', () => {
    assert.deepEqual(issuesOf({ output: [item(undefined), { ...item('x'), name: 1 }] }), ['output[0].call_id', 'output[1].name']);
    assert.deepEqual(issuesOf([item('')]), ['[0].call_id']);
    assert.deepEqual(issuesOf({ output: 'text' }), ['output']);
    assert.deepEqual(issuesOf({}), ['output']);
    assert.deepEqual(issuesOf(5), ['']);
  });

  test('each call gets an output item of text, errors marked, images and documents noted', () => {
    const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' } };
    assert.deepEqual(
      writeMessages([finished([{ type: 'text', text: 'see' }, image]), finished('no', { toolUseId: 'call_2', isError: true })]),
      [
        {
          type: 'function_call_output',
          call_id: 'call_1',
          output: 'see\n[An image is left out here: image/png, 3 bytes. This format carries text only.]',
        },
        { type: 'function_call_output', call_id: 'call_2', output: 'Error: no' },
      ],
    );
  });
});
