// What those outside of the service may give as the content of a result, as it travels.
import { z } from 'zod';

const MAX_BLOCKS = 100;
const KINDS = 'A block is of type text, image or document.';

const data = z.base64({ error: 'Give base64 data.' });

/** @param media_type the types that a file may have */
function fileSource<MediaType extends z.ZodType>(media_type: MediaType) {
  return z.object(
    { type: z.literal('base64', { error: 'Give base64: a file is sent as its data.' }), media_type, data },
    { error: 'Give an object with type, media_type and data.' },
  );
}

const Block = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text: z.string({ error: 'Give a string.' }) }),
    z.object({
      type: z.literal('image'),
      source: fileSource(
        z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp'], { error: 'Give image/png, image/jpeg, image/gif or image/webp.' }),
      ),
    }),
    z.object({
      type: z.literal('document'),
      source: fileSource(z.literal('application/pdf', { error: 'Give application/pdf.' })),
      title: z.string({ error: 'Give a string.' }).max(500, { error: 'At most 500 characters.' }).exactOptional(),
    }),
  ],
  { error: KINDS },
);

const Blocks = z.array(Block).max(MAX_BLOCKS, { error: `At most ${MAX_BLOCKS} blocks.` });
tellInUnion(Blocks);

/** Text, or at most a hundred blocks of text, images and PDF documents. What is wrong with a block has the block in its path. */
export const ResultContentSchema = z
  .union([z.string(), Blocks], { error: `Give text, or an array of blocks. ${KINDS}` })
  .describe('Text, or blocks: text, image (base64), document (base64 PDF).');

/**
 * A union tells what a branch of it finds wrong only where that branch could have gone on, and of all others nothing but that
 * the input is wrong. No other branch takes a list, so that a list was meant for this one.
 */
function tellInUnion(schema: z.ZodArray): void {
  // oxlint-disable-next-line no-underscore-dangle -- Zod's own name for what those who extend it may use.
  const internals = schema._zod;
  const run = internals.run.bind(internals);
  internals.run = (payload, context) => {
    const result = run(payload, context);
    if (result instanceof Promise || result.issues.length === 0 || !Array.isArray(payload.value)) return result;
    return { ...result, issues: result.issues.map((issue) => ({ ...issue, continue: true })) };
  };
}
