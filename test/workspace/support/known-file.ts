import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestBytes } from '../../../src/workspace/content/digest.ts';
import type { ToolHarness } from '../../support/tool-harness.ts';

/**
 * Puts a file into the workspace that the session has read.
 * @param whole false when only a part of it was shown
 * @returns its absolute path
 */
export async function putKnownFile(harness: ToolHarness, name: string, content: string | Buffer, whole = true): Promise<string> {
  const path = join(harness.workspace, name);
  await writeFile(path, content);
  const bytes = await readFile(path);
  harness.files.remember(path, { hash: digestBytes(bytes), mtimeMs: 0, size: bytes.length, whole });
  return path;
}
