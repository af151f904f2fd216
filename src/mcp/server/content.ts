// Results as MCP shows them to a model.
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ContentBlock, ResultContent } from '../../contract/index.ts';
import type { CallStep, HostedCall } from './ports.ts';

type McpContent = CallToolResult['content'][number];
type Ended = Extract<CallStep, { kind: 'ended' }>;

/** The result, with what only programs want to know under keys of our own. */
export function toolResult({ content, isError, outcome, coerced }: Ended, ids: HostedCall['ids']): CallToolResult {
  return {
    content: mcpContent(content, ids.tool_use_id),
    isError,
    _meta: {
      'toolexec/outcome': outcome,
      ...(coerced.length > 0 && { 'toolexec/coerced': [...coerced] }),
      ...Object.fromEntries(Object.entries(ids).map(([key, id]) => [`toolexec/${key}`, id])),
    },
  };
}

/** @param toolUseId names what the result brings with it */
function mcpContent(content: ResultContent, toolUseId: string): McpContent[] {
  const blocks: ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return blocks.map((block, index) => mcpBlock(block, `toolexec://calls/${toolUseId}/documents/${index}`));
}

function mcpBlock(block: ContentBlock, uri: string): McpContent {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return { type: 'image', data: block.source.data, mimeType: block.source.media_type };
    case 'document':
      return { type: 'resource', resource: { uri, mimeType: block.source.media_type, blob: block.source.data } };
    case 'tool_reference':
      return { type: 'text', text: `The tool ${block.tool_name} can be called now.` };
  }
}
