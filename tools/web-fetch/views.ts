import { clipped, textOf, type ToolResult, type View } from '../../src/contract/index.ts';
import type { FetchOutput } from './fetch-page.ts';
import type { FetchInput } from './input.ts';

/** Characters of a page in a view: the whole goes out with the result. */
const SHOWN_CHARS = 2_000;

export function viewUse({ url, prompt }: FetchInput): View {
  return { title: titleOf(url), ...(prompt === undefined ? {} : { body: { kind: 'text', text: prompt } }) };
}

export function viewResult({ url }: FetchInput, { content, output }: ToolResult<FetchOutput>): View {
  const text = textOf(content);
  return {
    title: titleOf(url),
    ...(output === undefined ? {} : { subtitle: subtitleOf(output) }),
    ...(text === '' ? {} : { body: { kind: 'markdown', text: clipped(text, SHOWN_CHARS) } }),
    collapsed: true,
  };
}

export function viewGroup(inputs: readonly FetchInput[]): View {
  return {
    title: 'Fetch',
    subtitle: `${inputs.length} pages`,
    body: { kind: 'list', items: inputs.map(({ url }) => url) },
    collapsed: true,
  };
}

export function titleOf(url: string): string {
  return `Fetch ${clipped(url, 200)}`;
}

function subtitleOf({ content_type, bytes, answered }: FetchOutput): string {
  const type = content_type.split(';', 1)[0]?.trim() || 'unknown type';
  return `${type}, ${bytes.toLocaleString('en-US')} bytes${answered ? ', answered by the model' : ''}`;
}
