// Images as blocks that models take: one of four formats, at most 1,568 pixels a side and of bounded size.
import PQueue from 'p-queue';
import { FileError } from '../../src/contract/index.ts';
import type { ImageBlock } from '../../src/contract/index.ts';
import type { Shown } from './shown.ts';
import { count } from './shown.ts';

const MAX_SIDE = 1568;
/** Bytes that stay below 5 MB as base64. */
const MAX_BYTES = 3.75 * 1024 * 1024;
/** Pixels of an image that is decoded at all; a few kilobytes can claim to be gigabytes. */
const MAX_PIXELS = 100_000_000;
const JPEG_QUALITIES = [85, 60, 30];

type MediaType = `image/${'png' | 'jpeg' | 'gif' | 'webp'}`;
const UNCHANGED_FORMATS: Readonly<Record<string, MediaType>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** @throws FileError when the image is damaged or too large to decode. */
export async function showImage(path: string, bytes: Buffer): Promise<Shown> {
  const image = await scaleImage(bytes).catch(() => {
    throw new FileError('io', `${path} could not be decoded as an image: it is damaged or has more than ${count(MAX_PIXELS)} pixels.`);
  });
  return { content: image.note === null ? [image.block] : [image.block, { type: 'text', text: image.note }], extent: 'whole' };
}

/** Images decoded at once, over all sessions: they take the threads that reading files needs. */
const decoding = new PQueue({ concurrency: 2 });

/** An image block, and a note on its former size if it was scaled. @throws Error of the decoder */
export function scaleImage(bytes: Buffer): Promise<{ block: ImageBlock; note: string | null }> {
  return decoding.add(() => scale(bytes));
}

async function scale(bytes: Buffer): Promise<{ block: ImageBlock; note: string | null }> {
  // Loaded on first use: the decoder is large and most sessions read no image.
  const { default: sharp } = await import('sharp');
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' });
  const { format, width, height, hasAlpha } = await image.metadata();
  const unchanged = UNCHANGED_FORMATS[format];
  if (unchanged && Math.max(width, height) <= MAX_SIDE && bytes.length <= MAX_BYTES) return { block: block(unchanged, bytes), note: null };
  const scaled = image.autoOrient().resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
  const note = `[The image is ${count(width)} × ${count(height)} pixels and was scaled down to be shown.]`;
  if (hasAlpha || format === 'png') {
    const png = await scaled.clone().png().toBuffer();
    if (png.length <= MAX_BYTES) return { block: block('image/png', png), note };
  }
  for (const quality of JPEG_QUALITIES) {
    const jpeg = await scaled.clone().flatten({ background: '#ffffff' }).jpeg({ quality }).toBuffer();
    if (jpeg.length <= MAX_BYTES) return { block: block('image/jpeg', jpeg), note };
  }
  throw new Error('The image stays too large.');
}

function block(mediaType: MediaType, bytes: Buffer): ImageBlock {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } };
}
