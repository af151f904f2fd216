// For random turns that write at once, with rewinds and restarts in between: a rewind to any checkpoint gives the tree as it
// was before that turn.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { historyWorld, overwrite, treeOf, type HistoryWorld } from './support/history-world.ts';

const Write = fc.record({
  path: fc.constantFrom('a', 'b', 'empty/c', 'made/d', 'made/deep/e', 'made/deep/f'),
  content: fc.constantFrom('', 'one', 'two', 'three\r\n', '\uFEFFfour'),
  mode: fc.option(fc.constantFrom(0o600, 0o644, 0o755), { nil: undefined }),
});
const Step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const), writes: fc.array(Write, { minLength: 1, maxLength: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewind' as const), to: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

async function rewindAndCheck(world: HistoryWorld, turn: string, before: Record<string, string>): Promise<void> {
  const trial = await world.rewind(turn, true);
  const rewound = await world.rewind(turn);
  assert.deepEqual(rewound, trial, 'a trial says what will be done');
  assert.deepEqual(rewound?.skipped, []);
  assert.deepEqual(await treeOf(world.workspace), before);
}

test('a rewind to any checkpoint gives the tree as it was before that turn, whatever came between', async (t) => {
  const world = await historyWorld(t);
  const { workspace } = world;
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 2, maxLength: 8 }), fc.nat(), async (steps, last) => {
      for (const path of [workspace, world.directory]) await rm(path, { recursive: true, force: true });
      await mkdir(join(workspace, 'empty'), { recursive: true });
      await writeFile(join(workspace, 'a'), 'at first', { mode: 0o640 });
      const trees: { turn: string; before: Record<string, string> }[] = [];
      const anyOf = (index: number) => trees[index % Math.max(1, trees.length)];
      for (const step of steps) {
        const known = step.kind === 'rewind' ? anyOf(step.to) : undefined;
        if (known !== undefined) await rewindAndCheck(world, known.turn, known.before);
        if (step.kind === 'restart') world.restart();
        if (step.kind !== 'turn') continue;
        const turn = `t${trees.length}`;
        trees.push({ turn, before: await treeOf(workspace) });
        const files = world.history.filesFor(turn, world.files);
        const ends = await Promise.allSettled(
          step.writes.map((write) => overwrite(files, { ...write, path: join(workspace, write.path) })),
        );
        assert.ok(ends.some(({ status }) => status === 'fulfilled'));
      }
      const known = anyOf(last);
      if (known !== undefined) await rewindAndCheck(world, known.turn, known.before);
    }),
    { numRuns: 20 },
  );
});
