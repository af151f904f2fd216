// The text in a result's content, as if it were one: what is not text keeps its place.
import { textOf, type ContentBlock, type ResultContent } from '../../contract/index.ts';

/** True when there is nothing in it for a model to see. */
export function isEmpty(content: ResultContent): boolean {
  return textOf(content) === '' && (typeof content === 'string' || content.every((block) => block.type === 'text'));
}

/** What the model gets when a tool succeeded and said nothing. */
export function emptyResultText(name: string): string {
  return `${name} finished without output.`;
}

export function mapText(content: ResultContent, change: (text: string) => string): ResultContent {
  if (typeof content === 'string') return change(content);
  return content.map((block): ContentBlock => (block.type === 'text' ? { type: 'text', text: change(block.text) } : block));
}

/** All text blocks become this one text; the others stay. */
export function withText(content: ResultContent, text: string): ResultContent {
  if (typeof content === 'string') return text;
  return [{ type: 'text', text }, ...content.filter((block) => block.type !== 'text')];
}
