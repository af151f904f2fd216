// The service is killed while turns write.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { historyWorld, treeOf } from './support/history-world.ts';

const WRITER = fileURLToPath(new URL('./support/write-until-killed.ts', import.meta.url));

/** Files of the tree; a write that was cut off may leave its temporary file. */
async function filesOf(workspace: string): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await treeOf(workspace)).filter(([path]) => !/(^|\/)\.toolexec-|^made-/.test(path)));
}

async function writeUntil(count: number, args: readonly string[]): Promise<void> {
  const writer = spawn(process.execPath, [WRITER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'exit');
  let left = count;
  for await (const _ of createInterface({ input: writer.stdout })) {
    left -= 1;
    if (left === 0) writer.kill('SIGKILL');
  }
  const [, signal] = (await exited) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

test('after kill -9 at any point a rewind still leads back to the beginning', async (t) => {
  const world = await historyWorld(t);
  const { workspace, directory } = world;
  for (const name of ['file', 'other']) await writeFile(join(workspace, name), `${name} at first\r\n`);
  const before = await filesOf(workspace);
  for (const [run, count] of [1, 2, 5, 9, 14].entries()) {
    await writeUntil(count, [workspace, directory, `run${run}`]);
    world.restart();
    const [newest] = await world.history.list();
    assert.match(newest?.turnId ?? '', new RegExp(`^run${run}-`));
  }
  const oldest = (await world.history.list()).at(-1);
  const rewound = await world.history.rewind(oldest?.id ?? '', { dryRun: false });
  assert.deepEqual(rewound?.skipped, []);
  assert.ok(rewound?.removed.every((path) => path.startsWith('made-')));
  assert.deepEqual(await filesOf(workspace), before);
  const made = Object.entries(await treeOf(workspace)).filter(([path, what]) => path.startsWith('made-') && what !== 'directory');
  assert.deepEqual(
    made.filter(([path]) => !path.includes('.toolexec-')),
    [],
  );
});
