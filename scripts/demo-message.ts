// The assistant message of the demo, and the events in which a model's API would stream it.
import { basename } from 'node:path';

export interface DemoCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input in a few words. */
  readonly about: string;
}

/** One event of an Anthropic stream. */
export type StreamEvent = { readonly type: string; readonly [key: string]: unknown };

/** Characters of JSON that one delta carries. */
const DELTA_CHARS = 24;
/** Characters of the changed line that are enough to name it. */
const ANCHOR_CHARS = 30;

/** Looks around, changes one file, and looks again. @param firstLine of the file that is changed */
export function demoCalls(file: string, firstLine: string): DemoCall[] {
  const anchor = firstLine.slice(0, ANCHOR_CHARS);
  const changed = `// Changed by the demo.\n${anchor}`;
  const name = basename(file);
  return [
    { name: 'Grep', input: { pattern: 'concurrencySafe', output_mode: 'content' }, about: 'concurrencySafe' },
    { name: 'Read', input: { file_path: file }, about: name },
    { name: 'Read', input: { file_path: 'src/engine/release/order.ts' }, about: 'order.ts' },
    { name: 'Edit', input: { file_path: file, old_string: anchor, new_string: changed }, about: name },
    { name: 'Glob', input: { pattern: 'src/engine/*.ts' }, about: 'src/engine/*.ts' },
    { name: 'Read', input: { file_path: file, limit: 3 }, about: `${name}, 3 lines` },
    { name: 'Bash', input: { command: 'git status --short' }, about: 'git status --short' },
  ].map((call, index) => ({ ...call, id: `toolu_demo_${index + 1}` }));
}

/** The message as it arrives: some words first, then block after block. */
export function streamEvents(calls: readonly DemoCall[]): StreamEvent[] {
  const words = ['I look at the scheduler, ', 'change one line ', 'and look again.'];
  return [
    { type: 'message_start', message: { id: 'msg_demo', type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...words.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    ...calls.flatMap((call, position) => blockEvents(call, position + 1)),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ];
}

function blockEvents({ id, name, input }: DemoCall, index: number): StreamEvent[] {
  const json = JSON.stringify(input);
  const parts = Array.from({ length: Math.ceil(json.length / DELTA_CHARS) }, (_, n) => json.slice(n * DELTA_CHARS, (n + 1) * DELTA_CHARS));
  return [
    { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
    ...parts.map((part) => ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: part } })),
    { type: 'content_block_stop', index },
  ];
}
