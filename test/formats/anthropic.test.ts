import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '../../src/contract/index.ts';
import { MAX_CALLS } from '../../src/formats/collect-calls.ts';
import { formats } from '../../src/formats/formats.ts';
import { finished } from './frames.ts';

const { readCalls, writeMessages } = formats.anthropic;

function use(id: unknown, more: Record<string, unknown> = {}) {
  return { type: 'tool_use', id, name: 'Read', input: {}, ...more };
}

function issuesOf(message: unknown) {
  try {
    readCalls(message);
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, 'invalid-request');
    return error.issues.map(({ path }) => path);
  }
  return assert.fail('the message was accepted');
}

describe('Anthropic messages', () => {
  test('calls are read in order, and everything else is passed over', () => {
    const content = [
      { type: 'thinking', thinking: '…', signature: 'x' },
      { type: 'text', text: 'I look.' },
      use('toolu_1', { input: { file_path: 'a', extra: [1] }, cache_control: { type: 'ephemeral' } }),
      { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
      { type: 'mcp_tool_use', id: 'mcp_1', name: 'x', server_name: 'y', input: {} },
      { type: 'something_new' },
      use('toolu_2', { name: 'no such tool' }),
    ];
    assert.deepEqual(readCalls({ role: 'assistant', content }), [
      { id: 'toolu_1', name: 'Read', input: { file_path: 'a', extra: [1] } },
      { id: 'toolu_2', name: 'no such tool', input: {} },
    ]);
  });

  test('a whole response of the API is read like its message', () => {
    const response = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [use('t')],
      stop_reason: 'tool_use',
      usage: {},
    };
    assert.deepEqual(readCalls(response), [{ id: 't', name: 'Read', input: {} }]);
  });

  test('a message that is text has no calls', () => {
    assert.deepEqual(readCalls({ role: 'assistant', content: 'Done.' }), []);
    assert.deepEqual(readCalls({ content: [] }), []);
  });

  test('a missing input is an empty one, and any other input is kept for the tool to judge', () => {
    const [missing, ...others] = readCalls({
      content: [use('a', { input: undefined }), use('b', { input: 'x' }), use('c', { input: null })],
    });
    assert.deepEqual(missing?.input, {});
    assert.deepEqual(
      others.map(({ input }) => input),
      ['x', null],
    );
  });

  test('an input that is nested too deep costs only its own call', () => {
    const deep: unknown = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
    const [first, second] = readCalls({ content: [use('a', { input: { deep } }), use('b', { input: { x: 1 } })] });
    assert.match(first?.inputError ?? '', /levels deep/);
    assert.deepEqual(second, { id: 'b', name: 'Read', input: { x: 1 } });
  });

  test('a wrong shape is refused with the path of every fault', () => {
    assert.deepEqual(issuesOf({ content: [use(''), use(7, { name: null }), 'text', use('x'.repeat(257)), use('ok')] }), [
      'content[0].id',
      'content[1].id',
      'content[1].name',
      'content[2]',
      'content[3].id',
    ]);
    assert.deepEqual(issuesOf({ role: 'user', content: [] }), ['role']);
    assert.deepEqual(issuesOf({ role: 'assistant' }), ['content']);
    assert.deepEqual(issuesOf({ content: 5 }), ['content']);
    assert.deepEqual(issuesOf(null), ['']);
    assert.deepEqual(issuesOf([]), ['']);
  });

  test('a message full of faults does not get a book as its answer', () => {
    assert.equal(issuesOf({ content: Array.from({ length: 5_000 }, () => 1) }).length, 20);
  });

  test('ids may not repeat inside one message', () => {
    assert.throws(
      () => readCalls({ content: [use('a'), use('b'), use('a')] }),
      (error) => error instanceof Problem && error.code === 'duplicate-tool-use-id' && error.message.includes('"a"'),
    );
  });

  test('a thousand calls are taken, one more is refused and the limit told', () => {
    const uses = Array.from({ length: MAX_CALLS + 1 }, (_, index) => use(`t${index}`));
    assert.equal(readCalls({ content: uses.slice(1) }).length, MAX_CALLS);
    assert.throws(() => readCalls({ content: uses }), /more than 1000 calls/);
  });

  test('all results go back in one user message, in order, their content untouched', () => {
    const image = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' } };
    const results = [finished('one'), finished([image], { toolUseId: 'call_2' }), finished('no', { toolUseId: 'call_3', isError: true })];
    assert.deepEqual(writeMessages(results), [
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: 'one', is_error: false },
          { type: 'tool_result', tool_use_id: 'call_2', content: [image], is_error: false },
          { type: 'tool_result', tool_use_id: 'call_3', content: 'no', is_error: true },
        ],
      },
    ]);
  });

  test('without calls nothing is appended to the conversation', () => {
    for (const format of Object.values(formats)) assert.deepEqual(format.writeMessages([]), []);
  });
});
