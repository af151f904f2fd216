// A directory or file of the workspace is swapped for a link to the outside, over and over, while a session searches it.
import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FileError } from '../../src/contract/index.ts';
import { toolHarness, type ToolHarness } from '../support/tool-harness.ts';
import { startSwapper } from '../workspace/support/swapper.ts';
import Glob from '../../tools/glob/index.ts';
import Grep from '../../tools/grep/index.ts';
import { grepInput } from '../../tools/grep/input.ts';

const ROUNDS = 20;
/** Directories around the swapped one, so that a walk meets it in its midst. */
const NEIGHBOURS = 30;

/** All the ways to search; `.` finds every file that has a text. */
const searches = [
  (at: string) => [Grep, grepInput.parse({ pattern: '.', path: at })],
  (at: string) => [Grep, grepInput.parse({ pattern: '.', path: at, output_mode: 'content' })],
  (at: string) => [Grep, grepInput.parse({ pattern: '.', path: at, output_mode: 'content', glob: '**/*.txt' })],
  (at: string) => [Grep, grepInput.parse({ pattern: 'canary', path: at, output_mode: 'count', glob: '*.txt' })],
  (at: string) => [Glob, { pattern: '**/*', path: at }],
  (at: string) => [Glob, { pattern: '*/secret*', path: at }],
] as const;

interface Place {
  readonly harness: ToolHarness;
  /** Holds `secret.txt`, whose name and text nobody inside may see. */
  readonly outside: string;
  /** The directory that is swapped, with a file in it. */
  readonly swapped: string;
}

async function placeOf(t: TestContext): Promise<Place> {
  const harness = await toolHarness(t);
  const outside = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-outside-')));
  t.after(() => rm(outside, { recursive: true, force: true }));
  await writeFile(join(outside, 'secret.txt'), 'canary');
  await mkdir(join(harness.workspace, 'spare'));
  for (let n = 0; n < NEIGHBOURS; n += 1) {
    const neighbour = join(harness.workspace, `near-${n}`);
    await mkdir(neighbour);
    await writeFile(join(neighbour, 'file.txt'), 'inside');
  }
  const swapped = join(harness.workspace, 'near-15');
  return { harness, outside, swapped };
}

/** Searches `at` in every way while `swapped` turns into a link to `link` and back. */
async function race(place: Place, paths: { at: string; swapped: string; link: string }): Promise<void> {
  const { harness } = place;
  const swapper = await startSwapper({ ...paths, spare: join(harness.workspace, 'spare') });
  const seen = { found: 0, refused: 0 };
  const one = async ([tool, input]: ReturnType<(typeof searches)[number]>): Promise<void> => {
    try {
      const { text } = await harness.call(tool as typeof Glob, input as { pattern: string });
      assert.doesNotMatch(text, /secret|canary/);
      // No file inside has the word that is counted.
      if (!text.includes('file.txt')) return;
      assert.notEqual((input as { pattern: string }).pattern, 'canary');
      seen.found += 1;
    } catch (error) {
      assert.ok(error instanceof FileError, String(error));
      assert.doesNotMatch(error.message, /secret|canary|\/fd\//);
      seen.refused += 1;
    }
  };
  try {
    for (let round = 0; round < ROUNDS; round += 1) await Promise.all(searches.map((search) => one(search(paths.at))));
  } finally {
    await swapper.stop();
  }
  assert.ok(swapper.swaps() > 50, `swapped only ${swapper.swaps()} times`);
  assert.ok(seen.found > 0, JSON.stringify(seen));
}

test('A directory in the midst of a search that turns into a link never lets the search out', async (t) => {
  const place = await placeOf(t);
  await race(place, { at: place.harness.workspace, swapped: place.swapped, link: place.outside });
});

test('A directory that is searched and turns into a link never lets the search out', async (t) => {
  const place = await placeOf(t);
  await race(place, { at: place.swapped, swapped: place.swapped, link: place.outside });
});

test('A file that turns into a link is never searched through it', async (t) => {
  const place = await placeOf(t);
  const file = join(place.swapped, 'file.txt');
  await race(place, { at: place.harness.workspace, swapped: file, link: join(place.outside, 'secret.txt') });
});

test('What has only just been written is found', async (t) => {
  const { harness } = await placeOf(t);
  for (let n = 0; n < 10; n += 1) {
    await writeFile(join(harness.workspace, 'near-1/new.txt'), `fresh ${n}`);
    const { text } = await harness.call(Grep, grepInput.parse({ pattern: `fresh ${n}`, output_mode: 'content' }));
    assert.equal(text, `near-1/new.txt:1:fresh ${n}`);
  }
});

test('A file that is written to all the time is found, and so are those beside one that comes and goes', async (t) => {
  const { harness } = await placeOf(t);
  const stop = new AbortController();
  const busy = (async () => {
    while (!stop.signal.aborted) {
      await appendFile(join(harness.workspace, 'near-1/file.txt'), 'inside\n');
      await writeFile(join(harness.workspace, 'near-2/passing.log'), '');
      await rm(join(harness.workspace, 'near-2/passing.log'));
    }
  })();
  for (let n = 0; n < 5; n += 1) {
    const { text } = await harness.call(Grep, grepInput.parse({ pattern: 'inside', output_mode: 'count' }));
    for (const name of ['near-1', 'near-2', 'near-3']) assert.ok(text.includes(`${name}/file.txt:`), `${name} in ${text}`);
  }
  stop.abort();
  await busy;
});
