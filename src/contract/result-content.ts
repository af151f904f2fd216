// What those outside of the service may give as the content of a result, as it travels.
import { z } from 'zod';

const MAX_BLOCKS = 100;
const base64 = z.base64({ error: 'Give base64 data.' });

const Block = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({
      type: z.literal('image'),
      source: z.object({
        type: z.literal('base64'),
        media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp'], {
          error: 'Give image/png, image/jpeg, image/gif or image/webp.',
        }),
        data: base64,
      }),
    }),
    z.object({
      type: z.literal('document'),
      source: z.object({
        type: z.literal('base64'),
        media_type: z.literal('application/pdf', { error: 'Give application/pdf.' }),
        data: base64,
      }),
      title: z.string().max(500).exactOptional(),
    }),
  ],
  { error: 'A block is of type text, image or document.' },
);

/** Text, or at most a hundred blocks of text, images and PDF documents. */
export const ResultContentSchema = z
  .union([z.string(), z.array(Block).max(MAX_BLOCKS, { error: `At most ${MAX_BLOCKS} blocks.` })])
  .describe('Text, or blocks: text, image (base64), document (base64 PDF).');
