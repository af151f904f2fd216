// A part of the workspace is swapped for a link to the outside, over and over, while a session works in it.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { FileError } from '../../src/contract/index.ts';
import { startSwapper } from './support/swapper.ts';
import type { TemporaryWorkspace } from './support/temporary-workspace.ts';
import { CANARY, readText, temporaryWorkspace } from './support/temporary-workspace.ts';

const ROUNDS = 2000;

/** Reads and writes `targets` while `swapped` keeps turning into a link to `link`. */
async function race(place: TemporaryWorkspace, paths: { swapped: string; link: string; targets: string[] }): Promise<string> {
  const { files, workspace } = place;
  const spare = join(workspace, 'spare');
  await mkdir(spare);
  const seen = { done: 0, refused: 0 };
  const attempt = async (action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
      seen.done += 1;
    } catch (error) {
      assert.ok(error instanceof FileError, String(error));
      seen.refused += 1;
    }
  };
  const rewrite = async (path: string, text: string): Promise<void> => {
    const before = await files.look(path);
    await files.write({ path, bytes: Buffer.from(text), expectedHash: before?.hash ?? null });
  };
  const swapper = await startSwapper({ swapped: paths.swapped, link: paths.link, spare });
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = paths.targets[round % paths.targets.length] ?? '';
      await Promise.all([
        attempt(async () => assert.notEqual(await readText(files, path), CANARY)),
        attempt(() => rewrite(path, `inside ${round}`)),
        round % 20 === 0 && attempt(() => rewrite(join(dirname(path), `new-${round}/below/file`), 'new')),
      ]);
    }
  } finally {
    await swapper.stop();
  }
  await place.assertOutsideUntouched();
  assert.ok(swapper.swaps() > 50, `swapped only ${swapper.swaps()} times`);
  assert.ok(seen.done > 0 && seen.refused > 0, `the race was never met: ${JSON.stringify(seen)}`);
  return JSON.stringify({ ...seen, swaps: swapper.swaps() });
}

test('a directory that turns into a link to the outside never lets a read or a write out', async (t) => {
  const place = await temporaryWorkspace(t);
  const swapped = join(place.workspace, 'directory');
  await mkdir(join(swapped, 'below'), { recursive: true });
  const targets = ['canary.txt', 'below/canary.txt'].map((name) => join(swapped, name));
  for (const path of targets) await writeFile(path, 'inside');
  t.diagnostic(await race(place, { swapped, link: place.outside, targets }));
});

test('a file that turns into a link to the outside never lets a read or a write out', async (t) => {
  const place = await temporaryWorkspace(t);
  const swapped = join(place.workspace, 'file');
  await writeFile(swapped, 'inside');
  t.diagnostic(await race(place, { swapped, link: join(place.outside, 'canary.txt'), targets: [swapped] }));
});
