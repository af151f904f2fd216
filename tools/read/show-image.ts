import { FileError } from '../../src/contract/index.ts';
import { MAX_PIXELS, scaleImage } from '../../src/workspace/content/scale-image.ts';
import type { Shown } from './shown.ts';
import { count } from './shown.ts';

/** @throws FileError when the image is damaged or too large to decode. */
export async function showImage(path: string, bytes: Buffer): Promise<Shown> {
  const image = await scaleImage(bytes).catch(() => {
    throw new FileError('io', `${path} could not be decoded as an image: it is damaged or has more than ${count(MAX_PIXELS)} pixels.`);
  });
  return { content: image.note === null ? [image.block] : [image.block, { type: 'text', text: image.note }], extent: 'whole' };
}
