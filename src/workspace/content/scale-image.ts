// Images as blocks that models take: one of four formats, at most 1,568 pixels a side and of bounded size.
import PQueue from 'p-queue';
import type { ImageBlock } from '../../contract/index.ts';

const MAX_SIDE = 1568;
/** Bytes that stay below 5 MB as base64. */
const MAX_BYTES = 3.75 * 1024 * 1024;
/** Pixels of an image that is decoded at all; a few kilobytes can claim to be gigabytes. */
export const MAX_PIXELS = 100_000_000;
const JPEG_QUALITIES = [85, 60, 30];

/** Types of images that can be scaled. */
export const IMAGE_TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/tiff',
]);

type MediaType = `image/${'png' | 'jpeg' | 'gif' | 'webp'}`;
const UNCHANGED_FORMATS: Readonly<Record<string, MediaType>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export interface ScaledImage {
  readonly block: ImageBlock;
  /** On its former size, if it was scaled. */
  readonly note: string | null;
}

/** Images decoded at once, over all sessions: they take the threads that reading files needs. */
const decoding = new PQueue({ concurrency: 2 });

/** An image as a block. @throws Error of the decoder, also when it has more than {@link MAX_PIXELS} */
export function scaleImage(bytes: Buffer): Promise<ScaledImage> {
  return decoding.add(() => scale(bytes));
}

async function scale(bytes: Buffer): Promise<ScaledImage> {
  // Loaded on first use: the decoder is large and most sessions see no image.
  const { default: sharp } = await import('sharp');
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' });
  const { format, width, height, hasAlpha } = await image.metadata();
  const unchanged = UNCHANGED_FORMATS[format];
  if (unchanged && Math.max(width, height) <= MAX_SIDE && bytes.length <= MAX_BYTES) return { block: block(unchanged, bytes), note: null };
  const scaled = image.autoOrient().resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
  const [wide, high] = [width, height].map((side) => side.toLocaleString('en-US'));
  const note = `[The image is ${wide} × ${high} pixels and was scaled down to be shown.]`;
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
