import type { ContentBlock } from '../model/wire.ts';
import { saveFile } from '../parts/save-file.ts';
import { LongText } from './long-text.tsx';

/** Types that a browser draws without running anything. */
const DRAWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Exactly what goes back to the model. */
export function ResultContent({ content }: { content: string | readonly ContentBlock[] }) {
  if (typeof content === 'string') return <LongText text={content} kind="plain" />;
  return (
    <>
      {content.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </>
  );
}

function Block({ block }: { block: ContentBlock }) {
  switch (block.type) {
    case 'text':
      return <LongText text={block.text} kind="plain" />;
    case 'image': {
      const { media_type: type, data } = block.source;
      if (!DRAWN.includes(type)) return <p class="hint">An image of type {type}.</p>;
      return <img class="picture" src={`data:${type};base64,${data}`} alt="What the call gave back" />;
    }
    case 'document':
      return (
        <button type="button" onClick={() => saveFile(bytesOf(block.source.data, block.source.media_type), block.title ?? 'document.pdf')}>
          Save {block.title ?? 'the document'}
        </button>
      );
    case 'tool_reference':
      return (
        <p>
          Tool <code>{block.tool_name}</code>
        </p>
      );
  }
}

function bytesOf(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type });
}
