import type { MessageFormat } from '../contract/index.ts';
import { isRecord } from './is-record.ts';

/** Types of Anthropic stream events that are known by name. */
export const ANTHROPIC_STREAM_TYPES = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
] as const;

const ANTHROPIC_TYPES = new Set<string>(ANTHROPIC_STREAM_TYPES);

/**
 * Tells which model's stream a frame belongs to; `null` when it is none of them. `ping` is left to the caller, as clients say it, too.
 * @param open the format of the stream that is open: an `error` frame is its own, and only without one does its shape tell
 */
export function streamFormat(frame: Record<string, unknown>, open?: MessageFormat): MessageFormat | null {
  const { type, object } = frame;
  if (object === 'chat.completion.chunk') return 'openai_chat';
  if (typeof type !== 'string') return null;
  if (type === 'error') return open ?? (isRecord(frame['error']) ? 'anthropic' : 'openai_responses');
  if (ANTHROPIC_TYPES.has(type)) return 'anthropic';
  return type.startsWith('response.') ? 'openai_responses' : null;
}
