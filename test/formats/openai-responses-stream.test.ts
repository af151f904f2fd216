import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formats } from '../../src/formats/formats.ts';
import { assemble, callsOf, kindsOf, responsesFrames, textCall } from './frames.ts';
import type { Frame } from './frames.ts';

const OPEN: Frame = { type: 'response.created', response: {} };
const END: Frame = { type: 'response.completed', response: {} };

function item(fields: Frame = {}): Frame {
  return { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'Read', ...fields };
}

function added(fields: Frame = {}): Frame {
  return { type: 'response.output_item.added', output_index: 0, item: item({ arguments: '', ...fields }) };
}

function delta(text: unknown): Frame {
  return { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_1', delta: text };
}

function done(fields: Frame = {}): Frame {
  return { type: 'response.output_item.done', output_index: 0, item: item(fields) };
}

function run(...frames: Frame[]) {
  return assemble('openai_responses', frames);
}

describe('an OpenAI Responses stream', () => {
  test('gives a call when its item is done, before the response is completed', () => {
    const assembler = formats.openai_responses.createAssembler();
    const steps = responsesFrames([textCall('a', '{"x":1}')]).map((frame) => [assembler.push(frame), assembler.hasPartial()]);
    assert.deepEqual(steps, [
      [[{ type: 'open' }], false],
      [[], false],
      [[], true],
      [[], true],
      [[], true],
      [[{ type: 'call', call: { id: 'a', name: 'Read', input: { x: 1 } } }], false],
      [[{ type: 'end' }], false],
    ]);
  });

  test('may be filtered down to the items that are done', () => {
    const outputs = run(done({ arguments: '{"x":1}' }), END);
    assert.deepEqual(outputs, [{ type: 'open' }, { type: 'call', call: { id: 'call_1', name: 'Read', input: { x: 1 } } }, { type: 'end' }]);
  });

  test('may leave the arguments out of the item that is done', () => {
    for (const fields of [{}, { arguments: '' }]) {
      assert.deepEqual(callsOf(run(OPEN, added(), delta('{"x"'), delta(':1}'), done(fields), END))[0]?.input, { x: 1 });
    }
    const whole = { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc_1', arguments: '{"x":2}' };
    assert.deepEqual(callsOf(run(OPEN, added(), delta('{"x'), whole, done(), END))[0]?.input, { x: 2 });
  });

  test('trusts the whole arguments over pieces that were damaged on the way', () => {
    const [call] = callsOf(run(OPEN, added(), delta('{"x"'), delta(null), done({ arguments: '{"x":1}' }), END));
    assert.deepEqual(call, { id: 'call_1', name: 'Read', input: { x: 1 } });
    const [spoiled] = callsOf(run(OPEN, added(), delta('{"x":1}'), delta(null), done(), END));
    assert.match(spoiled?.inputError ?? '', /do not fit together/);
  });

  test('tells its items apart by id where a proxy leaves the index out', () => {
    const { output_index: _a, ...begun } = added();
    const { output_index: _b, ...part } = delta('{"x":1}');
    const { output_index: _c, ...finished } = done();
    assert.deepEqual(callsOf(run(OPEN, begun, part, finished, END))[0]?.input, { x: 1 });
  });

  test('passes over items of other kinds and events it does not know', () => {
    const outputs = run(
      OPEN,
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message' } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'custom_tool_call', call_id: 'c', name: 'x', input: '' } },
      { type: 'response.brand_new', output_index: 0 },
      END,
    );
    assert.deepEqual(kindsOf(outputs), ['open', 'end']);
  });

  test('that ends incomplete answers what it began, and invents no arguments', () => {
    const incomplete = { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } };
    const [truncated] = callsOf(run(OPEN, added(), delta('{"x":'), incomplete));
    assert.match(truncated?.inputError ?? '', /not valid JSON/);
    for (const last of [[incomplete], [done({ arguments: '', status: 'incomplete' }), incomplete]]) {
      const outputs = run(OPEN, added(), ...last);
      assert.deepEqual(kindsOf(outputs), ['open', 'call', 'end']);
      assert.match(callsOf(outputs)[0]?.inputError ?? '', /ended before the arguments/);
    }
  });

  test('breaks off with the reason that the stream itself gives', () => {
    const failures = [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'Try later' } } },
      { type: 'error', code: 'server_error', message: 'Try later' },
      { type: 'error', error: { message: 'Try later' } },
    ];
    for (const failure of failures) {
      const outputs = run(OPEN, added(), failure, done({ arguments: '{}' }), END);
      assert.deepEqual(outputs, [{ type: 'open' }, { type: 'broken', reason: "The model's stream failed: Try later" }]);
    }
  });

  test('breaks off at a call that could never be answered', () => {
    assert.deepEqual(kindsOf(run(OPEN, done({ call_id: undefined, arguments: '{}' }), END)), ['open', 'broken']);
  });

  test('gives up a response that never ended when the next one is created', () => {
    assert.deepEqual(kindsOf(run(OPEN, added(), OPEN, END)), ['open', 'broken', 'open', 'end']);
  });
});
