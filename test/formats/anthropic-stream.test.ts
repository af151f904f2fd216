import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_CALLS } from '../../src/formats/collect-calls.ts';
import { formats } from '../../src/formats/formats.ts';
import { MAX_ARGUMENT_CHARS } from '../../src/formats/parse-arguments.ts';
import { anthropicFrames, assemble, callsOf, kindsOf, textCall } from './frames.ts';
import type { Frame } from './frames.ts';

function start(index: unknown, id: unknown, more: Frame = {}): Frame {
  return { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'Read', input: {}, ...more } };
}

function delta(index: unknown, text: unknown): Frame {
  return { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } };
}

function stop(index: unknown): Frame {
  return { type: 'content_block_stop', index };
}

const OPEN: Frame = { type: 'message_start', message: {} };
const END: Frame = { type: 'message_stop' };

function run(...frames: Frame[]) {
  return assemble('anthropic', frames);
}

describe('an Anthropic stream', () => {
  test('gives each call when its block stops, before the message ends', () => {
    const assembler = formats.anthropic.createAssembler();
    const steps = anthropicFrames([textCall('a', '{"x":1}'), textCall('b', '')]).map((frame) => assembler.push(frame));
    assert.deepEqual(steps, [
      [{ type: 'open' }],
      [],
      [],
      [],
      [{ type: 'call', call: { id: 'a', name: 'Read', input: { x: 1 } } }],
      [],
      [],
      [{ type: 'call', call: { id: 'b', name: 'Read', input: {} } }],
      [],
      [{ type: 'end' }],
    ]);
  });

  test('passes over text, thinking, server tools and what it does not know', () => {
    const outputs = run(
      OPEN,
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      stop(0),
      { type: 'content_block_start', index: 1, content_block: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } },
      delta(1, '{"query":"x"}'),
      stop(1),
      { type: 'brand_new_event', index: 2 },
      END,
    );
    assert.deepEqual(outputs, [{ type: 'open' }, { type: 'end' }]);
  });

  test('puts interleaved blocks together by their index', () => {
    const outputs = run(OPEN, start(0, 'a'), start(1, 'b'), delta(1, '{"n"'), delta(0, '{"n":0}'), delta(1, ':1}'), stop(1), stop(0), END);
    assert.deepEqual(
      callsOf(outputs).map(({ id, input }) => ({ id, input })),
      [
        { id: 'b', input: { n: 1 } },
        { id: 'a', input: { n: 0 } },
      ],
    );
  });

  test('takes an input that came whole with the start', () => {
    const outputs = run(
      OPEN,
      start(0, 'a', { input: { path: 'x' } }),
      delta(0, ''),
      stop(0),
      start(1, 'b', { input: 'odd' }),
      stop(1),
      END,
    );
    assert.deepEqual(
      callsOf(outputs).map(({ input }) => input),
      [{ path: 'x' }, 'odd'],
    );
  });

  test('answers truncated arguments as invalid, and the siblings still come', () => {
    const [bad, good] = callsOf(run(OPEN, start(0, 'a'), delta(0, '{"path":"x'), stop(0), start(1, 'b'), delta(1, '{}'), stop(1), END));
    assert.match(bad?.inputError ?? '', /Unterminated string .*at position 10/);
    assert.deepEqual(good, { id: 'b', name: 'Read', input: {} });
  });

  test('completes a block that was never stopped at the end of the message, but invents no arguments', () => {
    const outputs = run(OPEN, start(0, 'a'), delta(0, '{"x":1}'), start(1, 'b'), END);
    assert.deepEqual(kindsOf(outputs), ['open', 'call', 'call', 'end']);
    const [first, second] = callsOf(outputs);
    assert.deepEqual(first?.input, { x: 1 });
    assert.match(second?.inputError ?? '', /ended before the arguments/);
  });

  test('holds a half-received call until it is complete or dropped', () => {
    const assembler = formats.anthropic.createAssembler();
    const held = [OPEN, start(0, 'a'), delta(0, '{'), stop(0), start(1, 'b'), { type: 'error', error: {} }].map((frame) => {
      assembler.push(frame);
      return assembler.hasPartial();
    });
    assert.deepEqual(held, [false, true, true, false, true, false]);
  });

  test('breaks off with the reason that the stream itself gives, and ignores what follows', () => {
    const failure = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const outputs = run(OPEN, start(0, 'a'), delta(0, '{}'), failure, stop(0), start(1, 'b'), stop(1), END);
    assert.deepEqual(outputs, [{ type: 'open' }, { type: 'broken', reason: "The model's stream failed: Overloaded" }]);
  });

  test('takes the next message after one that broke or ended', () => {
    const [again] = [anthropicFrames([textCall('c', '{}')])];
    assert.deepEqual(kindsOf(run(OPEN, { type: 'error' }, ...again)), ['open', 'broken', 'open', 'call', 'end']);
    assert.deepEqual(kindsOf(run(OPEN, END, ...again)), ['open', 'end', 'open', 'call', 'end']);
  });

  test('gives up a message that never ended when the next one starts', () => {
    const outputs = run(OPEN, start(0, 'a'), delta(0, '{'), OPEN, start(0, 'b'), stop(0), END);
    assert.deepEqual(kindsOf(outputs), ['open', 'broken', 'open', 'call', 'end']);
    assert.deepEqual(
      callsOf(outputs).map(({ id }) => id),
      ['b'],
    );
  });

  test('opens with its first call when the start of the message was filtered out', () => {
    assert.deepEqual(kindsOf(run(start(0, 'a'), stop(0), END)), ['open', 'call', 'end']);
    assert.deepEqual(run(stop(0), delta(0, '{}'), { type: 'ping' }, { type: 'error' }, END), []);
  });

  test('breaks off at a call that could never be answered', () => {
    for (const id of [undefined, null, '', 7, 'x'.repeat(257)]) {
      const outputs = run(OPEN, start(0, 'ok'), stop(0), start(1, id), stop(1), END);
      assert.deepEqual(kindsOf(outputs), ['open', 'call', 'broken']);
    }
    assert.match(JSON.stringify(run(OPEN, start(0, 'a', { name: null }), stop(0))), /The call a came without a name/);
  });

  test('breaks off when a block begins twice, rather than mixing two calls', () => {
    assert.deepEqual(kindsOf(run(OPEN, start(0, 'a'), delta(0, '{'), start(0, 'b'), delta(0, '}'), stop(0), END)), ['open', 'broken']);
  });

  test('makes a call invalid whose arguments arrive damaged, rather than running something else', () => {
    const [call] = callsOf(run(OPEN, start(0, 'a'), delta(0, '{"a":1'), delta(0, 7), delta(0, '}'), stop(0), END));
    assert.deepEqual(call?.input, {});
    assert.match(call?.inputError ?? '', /do not fit together/);
  });

  test('makes a call over the limit invalid and drops its text, the siblings still come', () => {
    const part = 'x'.repeat(MAX_ARGUMENT_CHARS / 4);
    const outputs = run(
      OPEN,
      start(0, 'a'),
      ...Array.from({ length: 5 }, () => delta(0, part)),
      stop(0),
      start(1, 'b'),
      delta(1, '{"x":1}'),
      stop(1),
      END,
    );
    const [long, short] = callsOf(outputs);
    assert.match(long?.inputError ?? '', /longer than 10485760 characters/);
    assert.deepEqual(long?.input, {});
    assert.deepEqual(short?.input, { x: 1 });
  });

  test('takes a thousand calls and breaks off at one more', () => {
    const frames = Array.from({ length: MAX_CALLS + 1 }, (_, index) => [start(index, `t${index}`), stop(index)]).flat();
    const outputs = run(OPEN, ...frames, END);
    assert.equal(callsOf(outputs).length, MAX_CALLS);
    assert.deepEqual(outputs.at(-1), { type: 'broken', reason: 'The message has more than 1000 calls.' });
  });

  test('counts calls and text anew for each message', () => {
    const long = [start(0, 'a'), delta(0, JSON.stringify({ x: 'x'.repeat(MAX_ARGUMENT_CHARS * 0.6) })), stop(0)];
    const many = Array.from({ length: MAX_CALLS - 1 }, (_, index) => [start(index, `t${index}`), stop(index)]).flat();
    const calls = callsOf(run(OPEN, ...long, ...many, END, OPEN, ...long, ...many, END));
    assert.equal(calls.length, 2 * MAX_CALLS);
    assert.equal(
      calls.some(({ inputError }) => inputError !== undefined),
      false,
    );
  });

  test('puts a hundred thousand tiny pieces together in order', () => {
    const text = JSON.stringify({ text: Array.from({ length: 20_000 }, (_, index) => index).join(' ') });
    const [call] = callsOf(run(OPEN, start(0, 'a'), ...Array.from(text, (char) => delta(0, char)), stop(0), END));
    assert.deepEqual(call?.input, JSON.parse(text));
  });
});
