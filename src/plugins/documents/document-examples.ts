// Examples for both documents: one call in the three formats, whole and streamed, and what comes back. The only place
// outside of tools/ that writes a tool's name.

const anthropic = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'README.md' } }] };

/** Bodies of `POST …/messages`. */
export const MESSAGE_EXAMPLES = {
  anthropic: { summary: 'Anthropic Messages', value: anthropic },
  openai_chat: {
    summary: 'OpenAI Chat Completions',
    value: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'Read', arguments: '{"file_path":"README.md"}' } }],
    },
  },
  openai_responses: {
    summary: 'OpenAI Responses',
    value: { output: [{ type: 'function_call', call_id: 'call_1', name: 'Read', arguments: '{"file_path":"README.md"}' }] },
  },
};

/** Frames of a client, by the name of the message; the stream events of models are pieces from the middle. */
export const FRAME_EXAMPLES: Readonly<Record<string, object>> = {
  open: { type: 'open', session: { workspace: { path: '/srv/work' } } },
  tool_use: { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'README.md' } },
  message: { type: 'message', message: anthropic, ref: 1 },
  end: { type: 'end' },
  abort: { type: 'abort', reason: 'The user has changed their mind.' },
  cancel: { type: 'cancel', tool_use_id: 'toolu_1' },
  background: { type: 'background', tool_use_id: 'toolu_1' },
  ping: { type: 'ping' },
  anthropic_stream_event: { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"file_path": "RE' } },
  openai_chat_chunk: {
    object: 'chat.completion.chunk',
    id: 'chatcmpl-1',
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"file_path": "RE' } }] }, finish_reason: null }],
  },
  openai_responses_event: {
    type: 'response.output_item.done',
    output_index: 0,
    item: { type: 'function_call', call_id: 'call_1', name: 'Read', arguments: '{"file_path": "README.md"}' },
  },
};

/** Bodies of `POST /v1/messages`. */
export const ONE_SHOT_EXAMPLES = {
  ...MESSAGE_EXAMPLES,
  with_session: {
    summary: 'With options of the session',
    value: { ...anthropic, session: { workspace: { path: '/srv/work' }, permissions: { mode: 'acceptEdits' } } },
  },
};

/** Replies to them. */
export const REPLY_EXAMPLES = {
  anthropic: {
    summary: 'Anthropic Messages',
    value: {
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1\t# Notes', is_error: false }] }],
      turn: turn('toolu_1'),
    },
  },
  openai_chat: {
    summary: 'OpenAI Chat Completions',
    value: { messages: [{ role: 'tool', tool_call_id: 'call_1', content: '1\t# Notes' }], turn: turn('call_1') },
  },
  openai_responses: {
    summary: 'OpenAI Responses',
    value: { messages: [{ type: 'function_call_output', call_id: 'call_1', output: '1\t# Notes' }], turn: turn('call_1') },
  },
};

export const SESSION_EXAMPLES = {
  own_directory: { summary: 'In a fresh directory that goes with the session', value: {} },
  workspace: {
    summary: "In a directory under one of the operator's roots",
    value: {
      workspace: { path: '/srv/work' },
      permissions: { mode: 'acceptEdits' },
      execution: { max_concurrency: 5, on_disconnect: 'abort' },
      env: { NODE_ENV: 'test' },
      metadata: { ticket: 'A-1' },
      ttl_ms: 3_600_000,
    },
  },
};

export const CALL_EXAMPLES = {
  alone: {
    summary: 'In a session of its own, in a directory of the operator',
    value: { name: 'Read', arguments: { file_path: 'notes.md' }, session: { workspace: { path: '/srv/work' } } },
  },
  in_session: {
    summary: 'In a session that is there, with arguments as a model sent them',
    value: { name: 'Bash', arguments: '{"command":"ls"}', session_id: 'ses_5Jx0Zk9wT2u1vQ8rY3aBcg' },
  },
};

export const CALL_REPLY_EXAMPLES = {
  done: { summary: 'It has run', value: { result: '1\t# Notes', is_error: false, outcome: 'ok', coerced: [] } },
};

export const SESSION_PATCH_EXAMPLES = {
  mode: {
    summary: 'Another mode, and a key of metadata taken away',
    value: { permissions: { mode: 'acceptEdits' }, metadata: { ticket: null } },
  },
};

function turn(toolUseId: string): object {
  return {
    id: 'turn_5Jx0Zk9wT2u1vQ8rY3aBcg',
    status: 'completed',
    created_at: '2026-01-01T12:00:00.000Z',
    duration_ms: 4,
    last_seq: 6,
    stop: null,
    batches: [{ concurrent: true, tool_use_ids: [toolUseId] }],
    calls: [
      {
        tool_use_id: toolUseId,
        name: 'Read',
        state: 'yielded',
        outcome: 'ok',
        is_error: false,
        batch: 0,
        queued_ms: 0,
        duration_ms: 3,
      },
    ],
  };
}
