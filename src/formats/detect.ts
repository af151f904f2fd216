import { MESSAGE_FORMATS, Problem } from '../contract/index.ts';
import type { MessageFormat } from '../contract/index.ts';
import { isRecord } from './is-record.ts';

/**
 * Tells the format of an assistant message, or of a whole response of a model's API. A format that is asked for wins over the shape.
 * @throws Problem `invalid-request` when the asked format is unknown, or the shape belongs to none or to more than one.
 */
export function detectFormat(body: unknown, asked?: string): MessageFormat {
  if (asked !== undefined) return named(asked);
  const found = MESSAGE_FORMATS.filter((format) => SIGNS[format](body));
  const [format] = found;
  if (format !== undefined && found.length === 1) return format;
  const silent = found.length === 0 && isRecord(body) ? formatWithoutCalls(body) : null;
  if (silent) return silent;
  throw unrecognised(found);
}

/** What only a message of the format has. */
const SIGNS: { readonly [Name in MessageFormat]: (body: unknown) => boolean } = {
  anthropic: (body) => isRecord(body) && hasItem(body['content'], 'tool_use'),
  openai_chat: (body) =>
    isRecord(body) && (Array.isArray(body['choices']) || isGiven(body['tool_calls']) || isRecord(body['function_call'])),
  openai_responses: (body) =>
    isRecord(body) ? body['type'] === 'function_call' || isGiven(body['output']) : hasItem(body, 'function_call'),
};

/** A message without calls looks alike in several formats, and is answered alike in all of them. */
function formatWithoutCalls(body: Record<string, unknown>): MessageFormat | null {
  if ('tool_calls' in body || 'refusal' in body) return 'openai_chat';
  if (Array.isArray(body['output'])) return 'openai_responses';
  if (Array.isArray(body['content']) || typeof body['content'] === 'string') return 'anthropic';
  return null;
}

/** True for a value that may hold calls. Even a wrong one shows the format, whose reader then says what is wrong. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
}

function hasItem(items: unknown, type: string): boolean {
  return Array.isArray(items) && items.some((item) => isRecord(item) && item['type'] === type);
}

function named(asked: string): MessageFormat {
  const format = MESSAGE_FORMATS.find((name) => name === asked);
  if (format) return format;
  const message = `must be one of ${MESSAGE_FORMATS.join(', ')}`;
  throw new Problem('invalid-request', `The format ${message}.`, { issues: [{ path: 'format', message }] });
}

function unrecognised(found: readonly MessageFormat[]): Problem {
  const detail =
    found.length > 1
      ? `The message looks like ${found.join(' and like ')}: send it with only the calls of one of them, or name its format.`
      : 'The body is not an assistant message: it needs content (Anthropic), tool_calls (OpenAI Chat Completions) or output (OpenAI Responses).';
  return new Problem('invalid-request', detail, { issues: [{ path: '', message: 'has no format that can be told from its shape' }] });
}
