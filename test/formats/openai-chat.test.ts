import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '../../src/contract/index.ts';
import { formats } from '../../src/formats/formats.ts';
import { finished } from './frames.ts';

const { readCalls, writeMessages } = formats.openai_chat;
const png = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'iVBORw==' } };

function call(id: unknown, args: unknown, name: unknown = 'Read') {
  return { id, type: 'function', function: { name, arguments: args } };
}

function issuesOf(message: unknown) {
  try {
    readCalls(message);
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error.issues.map(({ path }) => path);
  }
  return assert.fail('the message was accepted');
}

function contentOf(text: string, isError = true): unknown {
  const [message] = writeMessages([finished(text, { isError })]);
  return message && 'content' in message ? message.content : undefined;
}

describe('OpenAI chat messages', () => {
  test('calls are read in order with their parsed arguments', () => {
    const message = { role: 'assistant', content: null, tool_calls: [call('call_1', '{"file_path":"a"}'), call('call_2', '', 'Glob')] };
    assert.deepEqual(readCalls(message), [
      { id: 'call_1', name: 'Read', input: { file_path: 'a' } },
      { id: 'call_2', name: 'Glob', input: {} },
    ]);
  });

  test('bad argument text makes its own call invalid, its siblings stay', () => {
    const [bad, good] = readCalls({ tool_calls: [call('call_1', '{"a": tru'), call('call_2', '{"a":1}')] });
    assert.equal(bad?.input, '{"a": tru');
    assert.match(bad?.inputError ?? '', /not valid JSON.*position/);
    assert.deepEqual(good, { id: 'call_2', name: 'Read', input: { a: 1 } });
  });

  test('arguments that a provider leaves out or sends parsed are understood', () => {
    const calls = readCalls({ tool_calls: [call('a', undefined), call('b', null), call('c', { x: 1 })] });
    assert.deepEqual(
      calls.map(({ input }) => input),
      [{}, {}, { x: 1 }],
    );
  });

  test('a message without tool_calls has no calls', () => {
    for (const message of [{ role: 'assistant', content: 'Hi' }, { tool_calls: null }, { tool_calls: [] }]) {
      assert.deepEqual(readCalls(message), []);
    }
  });

  test('a whole completion with one choice is read like its message', () => {
    const message = { role: 'assistant', content: null, refusal: null, tool_calls: [call('call_1', '{}')] };
    const completion = { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: {} };
    assert.deepEqual(readCalls(completion), [{ id: 'call_1', name: 'Read', input: {} }]);
  });

  test('of several choices none is guessed', () => {
    assert.deepEqual(issuesOf({ choices: [{ message: {} }, { message: {} }] }), ['choices']);
    assert.deepEqual(issuesOf({ choices: [{ delta: {} }] }), ['choices[0].message']);
  });

  test('a custom tool call is answered with an error that says how to call', () => {
    const [custom, sibling] = readCalls({
      tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'Code', input: 'print(1)' } }, call('call_2', '{}')],
    });
    assert.equal(custom?.name, 'Code');
    assert.equal(custom.input, 'print(1)');
    assert.match(custom.inputError ?? '', /Call it as a function with a JSON object/);
    assert.equal(sibling?.inputError, undefined);
  });

  test('a wrong shape is refused with the path of every fault', () => {
    assert.deepEqual(issuesOf({ role: 'user', tool_calls: [] }), ['role']);
    assert.deepEqual(issuesOf({ tool_calls: {} }), ['tool_calls']);
    assert.deepEqual(issuesOf({ tool_calls: [call(null, '{}'), { id: 'x' }, 1] }), [
      'tool_calls[0].id',
      'tool_calls[1].function.name',
      'tool_calls[2]',
    ]);
    assert.deepEqual(issuesOf({ choices: [{ message: { tool_calls: [call('', '')] } }] }), ['choices[0].message.tool_calls[0].id']);
    assert.deepEqual(issuesOf({ content: null, function_call: { name: 'Read', arguments: '{}' } }), ['function_call']);
    assert.deepEqual(issuesOf('text'), ['']);
  });

  test('ids may not repeat inside one message', () => {
    assert.throws(
      () => readCalls({ tool_calls: [call('a', ''), call('a', '')] }),
      (error) => error instanceof Problem && error.code === 'duplicate-tool-use-id',
    );
  });
});

describe('OpenAI chat results', () => {
  test('each call gets a tool message, in order', () => {
    assert.deepEqual(writeMessages([finished('one'), finished([{ type: 'text', text: 'two' }], { toolUseId: 'call_2' })]), [
      { role: 'tool', tool_call_id: 'call_1', content: 'one' },
      { role: 'tool', tool_call_id: 'call_2', content: 'two' },
    ]);
  });

  test('an error says so in its text, once', () => {
    assert.equal(contentOf('Exit code 1\nno such file'), 'Error: Exit code 1\nno such file');
    assert.equal(contentOf(''), 'Error: ');
    assert.equal(contentOf('errors were found'), 'Error: errors were found');
    for (const text of ['Error: no', 'error no', '<tool_use_error>No such tool</tool_use_error>', 'TypeError: x is not a function']) {
      assert.equal(contentOf(text), text);
    }
    assert.equal(contentOf('fine', false), 'fine');
  });

  test('images are noted in the tool message and follow in one user message that tells whose they are', () => {
    const results = [
      finished([{ type: 'text', text: 'Two pages' }, png, { ...png, source: { ...png.source, media_type: 'image/jpeg' } }]),
      finished('text', { toolUseId: 'call_2' }),
      finished([png], { toolUseId: 'call_3', name: 'Shot' }),
    ];
    assert.deepEqual(writeMessages(results), [
      {
        role: 'tool',
        tool_call_id: 'call_1',
        content:
          'Two pages\n[Image 1 (image/png) is in the user message after the tool results.]\n[Image 2 (image/jpeg) is in the user message after the tool results.]',
      },
      { role: 'tool', tool_call_id: 'call_2', content: 'text' },
      { role: 'tool', tool_call_id: 'call_3', content: '[Image 3 (image/png) is in the user message after the tool results.]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Image 1, from the result of Read (call call_1):' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
          { type: 'text', text: 'Image 2, from the result of Read (call call_1):' },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,iVBORw==' } },
          { type: 'text', text: 'Image 3, from the result of Shot (call call_3):' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
        ],
      },
    ]);
  });

  test('documents and found tools become notes', () => {
    const document = {
      type: 'document' as const,
      title: 'plan.pdf',
      source: { type: 'base64' as const, media_type: 'application/pdf' as const, data: 'AAAA' },
    };
    const [message] = writeMessages([finished([document, { type: 'tool_reference', tool_name: 'mcp__docs__find' }])]);
    assert.ok(message && 'role' in message && message.role === 'tool');
    assert.equal(
      message.content,
      '[A document is left out here: "plan.pdf", application/pdf, 3 bytes. This format carries text only.]\n[Tool found: mcp__docs__find]',
    );
  });
});
