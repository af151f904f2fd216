import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MESSAGE_FORMATS, Problem } from '../../src/contract/index.ts';
import { detectFormat } from '../../src/formats/detect.ts';
import { formats } from '../../src/formats/formats.ts';
import { messages, streams, textCall } from './frames.ts';
import { streamFormat } from '../../src/formats/recognise-stream.ts';

const use = { type: 'tool_use', id: 'a', name: 'Read', input: {} };
const toolCall = { id: 'a', type: 'function', function: { name: 'Read', arguments: '{}' } };

describe('the format of a message', () => {
  test('is told from its calls', () => {
    for (const format of MESSAGE_FORMATS) assert.equal(detectFormat(messages[format]([textCall('a', '{}')])), format);
  });

  test('is told from a whole response of each API', () => {
    assert.equal(detectFormat({ type: 'message', role: 'assistant', content: [use], stop_reason: 'tool_use' }), 'anthropic');
    assert.equal(detectFormat({ object: 'chat.completion', choices: [{ message: { tool_calls: [toolCall] } }] }), 'openai_chat');
    assert.equal(detectFormat({ object: 'response', output: [], output_text: '' }), 'openai_responses');
  });

  test('is told from bare items of the Responses API', () => {
    const item = { type: 'function_call', call_id: 'a', name: 'Read', arguments: '{}' };
    assert.equal(detectFormat(item), 'openai_responses');
    assert.equal(detectFormat([{ type: 'reasoning' }, item]), 'openai_responses');
  });

  test('is found for messages without calls, too, and these have none', () => {
    const silent: [unknown, string][] = [
      [{ role: 'assistant', content: 'Done.' }, 'anthropic'],
      [{ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, 'anthropic'],
      [{ role: 'assistant', content: 'Done.', refusal: null }, 'openai_chat'],
      [{ role: 'assistant', content: 'Done.', tool_calls: [] }, 'openai_chat'],
      [{ role: 'assistant', content: null, tool_calls: null }, 'openai_chat'],
    ];
    for (const [message, format] of silent) {
      assert.equal(detectFormat(message), format);
      assert.deepEqual(formats[detectFormat(message)].readCalls(message), []);
    }
  });

  test('that is asked for wins over the shape', () => {
    assert.equal(detectFormat({ content: [use] }, 'openai_chat'), 'openai_chat');
    assert.throws(() => detectFormat({ content: [use] }, 'gemini'), /must be one of anthropic, openai_chat, openai_responses/);
  });

  test('that cannot be told is asked for', () => {
    for (const body of [{}, [], null, 'text', { content: null }, { content: 5 }, [{ role: 'assistant', content: [use] }]]) {
      assert.throws(
        () => detectFormat(body),
        (error) => error instanceof Problem && error.code === 'invalid-request' && error.message.includes('needs content (Anthropic)'),
      );
    }
    assert.throws(() => detectFormat({ content: [use], tool_calls: [toolCall] }), /like anthropic and like openai_chat/);
  });

  test('is told of a wrong message whose fault its reader then shows', () => {
    assert.equal(detectFormat({ tool_calls: 'x' }), 'openai_chat');
    assert.equal(detectFormat({ content: 'x', function_call: { name: 'Read' } }), 'openai_chat');
    assert.equal(detectFormat({ output: 'x' }), 'openai_responses');
  });
});

describe('the format of a stream', () => {
  test('is told from each of its frames', () => {
    for (const format of MESSAGE_FORMATS) {
      const frames = streams[format]([textCall('a', '{}')]).filter((frame) => frame['type'] !== 'ping');
      for (const frame of frames) assert.equal(streamFormat(frame), format);
    }
  });

  test('is that of the open stream for an error, else told from its shape', () => {
    assert.equal(streamFormat({ type: 'error', error: { message: 'x' } }, 'openai_responses'), 'openai_responses');
    assert.equal(streamFormat({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }), 'anthropic');
    assert.equal(streamFormat({ type: 'error', code: 'server_error', message: 'x', param: null }), 'openai_responses');
  });

  test('is none for frames of clients and for what nobody knows', () => {
    for (const type of ['tool_use', 'message', 'end', 'ping', 'constructor', '', 7, null]) assert.equal(streamFormat({ type }), null);
    assert.equal(streamFormat({}), null);
    assert.equal(streamFormat({ object: 'chat.completion' }), null);
  });
});
