// Messages to begin with, one of each format.

const anthropic = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'I write a file and look at it from several sides.' },
    { type: 'tool_use', id: 'call_1', name: 'Write', input: { file_path: 'hello.txt', content: 'one\ntwo\nthree\n' } },
    { type: 'tool_use', id: 'call_2', name: 'Read', input: { file_path: 'hello.txt' } },
    { type: 'tool_use', id: 'call_3', name: 'Grep', input: { pattern: 't', output_mode: 'content' } },
    { type: 'tool_use', id: 'call_4', name: 'Glob', input: { pattern: '*' } },
    {
      type: 'tool_use',
      id: 'call_5',
      name: 'Bash',
      input: { command: 'for n in 1 2 3; do echo "step $n"; sleep 1; done; wc -l hello.txt' },
    },
  ],
};

const openaiChat = {
  role: 'assistant',
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'Glob', arguments: '{"pattern":"**/*"}' } },
    { id: 'call_2', type: 'function', function: { name: 'Bash', arguments: '{"command":"uname -a"}' } },
  ],
};

const openaiResponses = {
  output: [
    { type: 'function_call', call_id: 'call_1', name: 'Glob', arguments: '{"pattern":"**/*"}' },
    { type: 'function_call', call_id: 'call_2', name: 'Bash', arguments: '{"command":"date"}' },
  ],
};

export const EXAMPLES = { Anthropic: anthropic, 'OpenAI Chat': openaiChat, 'OpenAI Responses': openaiResponses } as const;
export type Example = keyof typeof EXAMPLES;
