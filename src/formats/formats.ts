import type { MessageFormat } from '../contract/index.ts';
import { anthropic } from './anthropic.ts';
import type { Format } from './format.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

/** Every format that messages come in and results go out in. */
export const formats: { readonly [Name in MessageFormat]: Format } = {
  anthropic,
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
};
