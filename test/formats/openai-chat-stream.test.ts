import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formats } from '../../src/formats/formats.ts';
import { assemble, callsOf, chatFrames, chunk, kindsOf, piece, textCall } from './frames.ts';
import type { Frame } from './frames.ts';

const OPEN = chunk({ role: 'assistant', content: '' });
const END = chunk({}, { finish: 'tool_calls' });

function custom(fields: Frame): Frame {
  return chunk({ tool_calls: [{ index: 0, ...fields }] });
}

/** A chunk of a provider that sends no completion id. */
function bare(delta: Frame, finish?: string): Frame {
  return { ...chunk(delta, finish === undefined ? {} : { finish }), id: undefined };
}

function run(...frames: Frame[]) {
  return assemble('openai_chat', frames);
}

function inputsOf(...frames: Frame[]) {
  return callsOf(run(OPEN, ...frames, END)).map(({ id, name, input }) => [id, name, input]);
}

describe('an OpenAI chat stream', () => {
  test('gives a call when the next index begins or the finish reason comes', () => {
    const assembler = formats.openai_chat.createAssembler();
    const steps = chatFrames([textCall('a', '{"x":1}'), textCall('b', '{}')]).map((frame) => assembler.push(frame));
    assert.deepEqual(steps, [
      [{ type: 'open' }],
      [],
      [],
      [{ type: 'call', call: { id: 'a', name: 'Read', input: { x: 1 } } }],
      [],
      [{ type: 'call', call: { id: 'b', name: 'Read', input: {} } }, { type: 'end' }],
      [],
    ]);
    assert.equal(assembler.hasPartial(), false);
  });

  test('of text alone opens and ends without calls', () => {
    assert.deepEqual(run(OPEN, chunk({ content: 'Hi' }), chunk({}, { finish: 'stop' })), [{ type: 'open' }, { type: 'end' }]);
  });

  test('without a role opens with its first content', () => {
    assert.deepEqual(kindsOf(run(piece(0, { id: 'a', name: 'Read', arguments: '{}' }), END)), ['open', 'call', 'end']);
    assert.deepEqual(kindsOf(run(chunk({ content: 'Hi' }), chunk({}, { finish: 'stop' }))), ['open', 'end']);
  });

  test('is not opened again by what providers send after the end', () => {
    const trailing = [
      { object: 'chat.completion.chunk', id: 'chatcmpl-1', choices: [], usage: {} },
      { ...OPEN, usage: { total_tokens: 3 } },
      chunk({ role: 'assistant', content: '', tool_calls: [] }, { finish: 'stop' }),
      chunk({}),
    ];
    assert.deepEqual(kindsOf(run(OPEN, chunk({ content: 'Hi' }), chunk({}, { finish: 'stop' }), ...trailing)), ['open', 'end']);
  });

  test('ends also when a provider says "stop" after calls', () => {
    const outputs = run(OPEN, piece(0, { id: 'a', name: 'Read', arguments: '{}' }), chunk({}, { finish: 'stop' }));
    assert.deepEqual(kindsOf(outputs), ['open', 'call', 'end']);
  });

  test('may bring everything in one chunk', () => {
    const calls = ['a', 'b'].map((id, index) => ({ index, id, type: 'function', function: { name: 'Read', arguments: `{"n":${index}}` } }));
    const outputs = run(chunk({ role: 'assistant', tool_calls: calls }, { finish: 'tool_calls' }));
    assert.deepEqual(kindsOf(outputs), ['open', 'call', 'call', 'end']);
  });

  test('may repeat id and name in each piece', () => {
    const parts = ['{"x"', ':', '1}'].map((text) => piece(0, { id: 'a', name: 'Read', arguments: text }));
    assert.deepEqual(inputsOf(...parts), [['a', 'Read', { x: 1 }]]);
  });

  test('may make up a new id for each piece of one call', () => {
    const parts = [piece(0, { id: 'a', name: 'Read', arguments: '{"x"' }), piece(0, { id: 'b', arguments: ':1}' })];
    assert.deepEqual(inputsOf(...parts), [['a', 'Read', { x: 1 }]]);
  });

  test('may leave out the index, or give all calls the same', () => {
    for (const index of [undefined, 0]) {
      const parts = [
        piece(index, { id: 'a', name: 'Read', arguments: '{"n"' }),
        piece(index, { arguments: ':1}' }),
        piece(index, { id: 'b', name: 'Glob', arguments: '{"n":2}' }),
      ];
      assert.deepEqual(inputsOf(...parts), [
        ['a', 'Read', { n: 1 }],
        ['b', 'Glob', { n: 2 }],
      ]);
    }
  });

  test('may tell id and name later than the index', () => {
    const parts = [piece(0, { arguments: '' }), piece(0, { id: 'a', name: '' }), piece(0, { name: 'Read', arguments: '{}' })];
    assert.deepEqual(inputsOf(...parts), [['a', 'Read', {}]]);
  });

  test('may bring arguments as an object', () => {
    assert.deepEqual(inputsOf(piece(0, { id: 'a', name: 'Read', arguments: { x: 1 } })), [['a', 'Read', { x: 1 }]]);
  });

  test('counts only its first choice', () => {
    const call = { index: 0, id: 'b', function: { name: 'Read', arguments: '{}' } };
    const other = {
      object: 'chat.completion.chunk',
      id: 'chatcmpl-1',
      choices: [{ index: 1, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }],
    };
    assert.deepEqual(kindsOf(run(OPEN, other, END)), ['open', 'end']);
  });

  test('answers bad argument text as invalid, and the siblings still come', () => {
    const [bad, good] = callsOf(run(...chatFrames([textCall('a', '{"x": None}'), textCall('b', '{}')])));
    assert.match(bad?.inputError ?? '', /Unexpected token 'N' at position 6/);
    assert.equal(bad?.input, '{"x": None}');
    assert.equal(good?.inputError, undefined);
  });

  test('that was cut off at its length invents no arguments', () => {
    const [cut] = callsOf(run(OPEN, piece(0, { id: 'a', name: 'Read', arguments: '' }), chunk({}, { finish: 'length' })));
    assert.match(cut?.inputError ?? '', /ended before the arguments/);
  });

  test('answers a custom tool call with an error that says how to call', () => {
    const [call] = callsOf(
      run(OPEN, custom({ id: 'a', type: 'custom', custom: { name: 'Code', input: 'print' } }), custom({ custom: { input: '(1)' } }), END),
    );
    assert.equal(call?.input, 'print(1)');
    assert.match(call.inputError ?? '', /as a function/);
  });

  test('breaks off at a call that could never be answered', () => {
    assert.deepEqual(kindsOf(run(OPEN, piece(0, { name: 'Read', arguments: '{}' }), END)), ['open', 'broken']);
    assert.deepEqual(kindsOf(run(OPEN, piece(0, { id: 'a', arguments: '{}' }), END)), ['open', 'broken']);
  });

  test('breaks off when a piece comes for a call that has already begun to run', () => {
    const outputs = run(
      OPEN,
      piece(0, { id: 'a', name: 'Read', arguments: '{}' }),
      piece(1, { id: 'b', name: 'Read', arguments: '{' }),
      piece(0, { arguments: '"x"' }),
      END,
    );
    assert.deepEqual(kindsOf(outputs), ['open', 'call', 'broken']);
  });

  test('breaks off at what it cannot read, and takes the next message', () => {
    const wrong = [chunk({ tool_calls: 'x' }), chunk({ tool_calls: [7] }), chunk({ function_call: { name: 'Read' } })];
    for (const frame of wrong) {
      const next = chatFrames([textCall('b', '{}')]);
      assert.deepEqual(kindsOf(run(OPEN, frame, chunk({ content: 'x' }), END, ...next.slice(1))), [
        'open',
        'broken',
        'open',
        'call',
        'end',
      ]);
    }
  });

  test('without ids is told apart by its roles', () => {
    const whole = { role: 'assistant', tool_calls: [{ index: 0, id: 'a', function: { name: 'Read', arguments: '{}' } }] };
    assert.deepEqual(kindsOf(run(bare(whole), bare({ role: 'assistant' }), bare({}, 'stop'))), ['open', 'call', 'end']);
    assert.deepEqual(kindsOf(run(bare(whole), OPEN, END)), ['open', 'call', 'end']);
    const broken = bare({ role: 'assistant', tool_calls: 7 });
    assert.deepEqual(kindsOf(run(broken, bare({ content: 'x' }), bare(whole, 'stop'))), ['open', 'broken', 'open', 'call', 'end']);
  });

  test('breaks off with the reason that the stream itself gives', () => {
    const failure = { ...chunk({ content: '' }, { finish: 'error' }), error: { code: 502, message: 'Upstream failed' } };
    const outputs = run(OPEN, piece(0, { id: 'a', name: 'Read', arguments: '{' }), failure);
    assert.deepEqual(outputs, [{ type: 'open' }, { type: 'broken', reason: "The model's stream failed: Upstream failed" }]);
  });

  test('gives up a message that never ended when another completion starts', () => {
    const next = [chunk({ role: 'assistant' }, { id: 'chatcmpl-2' }), chunk({}, { id: 'chatcmpl-2', finish: 'stop' })];
    assert.deepEqual(kindsOf(run(OPEN, piece(0, { id: 'a', name: 'Read', arguments: '{' }), ...next)), ['open', 'broken', 'open', 'end']);
  });
});
