// What a server answers, as the content of a result. Nothing is lost silently: what models cannot be shown is told of.
import type { CallToolResult, ContentBlock as ServerBlock } from '@modelcontextprotocol/client';
import type { ContentBlock, ResultContent } from '../../contract/index.ts';

/** What models' APIs take. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const PDF = 'application/pdf';
/** Characters of base64: 5 MiB of an image, 32 MiB of a document are what models' APIs take at the most. */
const MAX_IMAGE = 7_000_000;
const MAX_PDF = 16_000_000;

/** Of a result without content the structured part is shown. */
export function contentOf({ content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>): ResultContent {
  const blocks = content.map(blockOf);
  if (blocks.length === 0) return structuredContent === undefined ? '(no output)' : JSON.stringify(structuredContent);
  if (blocks.every((block) => block.type === 'text')) return blocks.map(({ text }) => text).join('\n');
  return blocks;
}

/** The same with each text in it changed. */
export function mapText(content: ResultContent, change: (text: string) => string): ResultContent {
  if (typeof content === 'string') return change(content);
  return content.map((block) => (block.type === 'text' ? textBlock(change(block.text)) : block));
}

function blockOf(block: ServerBlock): ContentBlock {
  switch (block.type) {
    case 'text':
      return textBlock(block.text);
    case 'image':
      return binary({ what: 'An image', mimeType: block.mimeType, data: block.data });
    case 'audio':
      return note('An audio recording', block.mimeType, block.data);
    case 'resource_link':
      return textBlock(
        `[Resource ${block.title ?? block.name}: ${block.uri}${block.mimeType === undefined ? '' : ` (${block.mimeType})`}]`,
      );
    case 'resource': {
      const { uri, mimeType = 'application/octet-stream' } = block.resource;
      if ('text' in block.resource) return textBlock(block.resource.text);
      return binary({ what: `The resource ${uri}`, mimeType, data: block.resource.blob });
    }
  }
}

function binary({ what, mimeType, data }: { what: string; mimeType: string; data: string }): ContentBlock {
  const media_type = mimeType.toLowerCase().replace('image/jpg', 'image/jpeg');
  if (IMAGE_TYPES.includes(media_type) && data.length <= MAX_IMAGE) return { type: 'image', source: { type: 'base64', media_type, data } };
  if (media_type === PDF && data.length <= MAX_PDF) return { type: 'document', source: { type: 'base64', media_type: PDF, data } };
  return note(what, mimeType, data);
}

function note(what: string, mimeType: string, data: string): ContentBlock {
  return textBlock(`[${what} (${mimeType}, ${Math.floor((data.length * 3) / 4)} bytes) cannot be shown here.]`);
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}
