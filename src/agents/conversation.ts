import type Anthropic from '@anthropic-ai/sdk';
import type { ToolResultBlock } from '../contract/index.ts';

/** Characters of a conversation, pictures included: beyond that the API takes none. */
const MAX_CHARS = 24 * 1024 * 1024;

/** What was said between one agent and the model. Its messages take turns, whoever adds to them. */
export class Conversation {
  readonly #messages: Anthropic.MessageParam[] = [];
  #chars = 0;

  get messages(): readonly Anthropic.MessageParam[] {
    return this.#messages;
  }

  /** True when it is longer than the API takes: nothing of it may be left out. */
  get full(): boolean {
    return this.#chars > MAX_CHARS;
  }

  /** Words to the model; those that follow results stand in the same message. */
  say(texts: readonly string[]): void {
    this.#addForModel(texts.map((text) => ({ type: 'text', text })));
  }

  results(blocks: readonly ToolResultBlock[]): void {
    // The blocks of results have the API's own shape.
    this.#addForModel(blocks as unknown as readonly Anthropic.ContentBlockParam[]);
  }

  answered(content: readonly Anthropic.ContentBlockParam[]): void {
    if (content.length === 0) return;
    this.#count(content);
    this.#messages.push({ role: 'assistant', content: [...content] });
  }

  #addForModel(blocks: readonly Anthropic.ContentBlockParam[]): void {
    if (blocks.length === 0) return;
    this.#count(blocks);
    const last = this.#messages.at(-1);
    if (last?.role === 'user' && Array.isArray(last.content)) last.content.push(...blocks);
    else this.#messages.push({ role: 'user', content: [...blocks] });
  }

  #count(blocks: readonly unknown[]): void {
    for (const block of blocks) this.#chars += JSON.stringify(block).length;
  }
}
