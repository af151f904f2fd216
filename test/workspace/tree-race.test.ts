// A parent of what is put, listed, removed and unpacked keeps turning into a link to the outside.
import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileError } from '../../src/contract/index.ts';
import { startSwapper } from './support/swapper.ts';
import { allOf, bodyOf, contentOf, temporaryTree } from './support/temporary-tree.ts';
import { CANARY } from './support/temporary-workspace.ts';

const ROUNDS = 400;

test('a parent that turns into a link to the outside never lets the owner of a session out', async (t) => {
  const { tree, workspace, outside, assertOutsideUntouched } = await temporaryTree(t);
  const [swapped, spare] = [join(workspace, 'd'), join(workspace, 'spare')];
  await mkdir(join(swapped, 'below'), { recursive: true });
  await mkdir(spare);
  await symlink(outside, join(swapped, 'below/out'));
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
  const swapper = await startSwapper({ swapped, link: outside, spare });
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = round % 2 === 0 ? 'd/canary.txt' : 'd/below/canary.txt';
      await Promise.all([
        attempt(() => tree.put(path, { body: bodyOf(`inside ${round}`) })),
        attempt(async () => assert.notEqual(await contentOf(tree, path), CANARY)),
        attempt(async () => assert.ok(!(await tree.list('d', { limit: 100 })).entries.some(({ name }) => name === 'w2'))),
        round % 10 === 0 && attempt(() => tree.put(`d/new-${round}/below/file`, { body: bodyOf('new') })),
        round % 10 === 5 && attempt(() => tree.remove('d/below', { recursive: true })),
        round % 20 === 7 && attempt(async () => assert.ok(!(await allOf(tree.pack())).includes(CANARY))),
      ]);
    }
  } finally {
    await swapper.stop();
  }
  await assertOutsideUntouched();
  assert.ok(swapper.swaps() > 20, `swapped only ${swapper.swaps()} times`);
  assert.ok(seen.done > 0 && seen.refused > 0, `the race was never met: ${JSON.stringify(seen)}`);
});
