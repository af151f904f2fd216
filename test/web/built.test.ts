// What the service serves is what the sources make, so that a fresh checkout needs no build.
import assert from 'node:assert/strict';
import { readdir, readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, before, after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const WEB = fileURLToPath(new URL('../../web/', import.meta.url));

async function filesIn(directory: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const contents = await Promise.all(paths.map(async (path) => [path.slice(directory.length + 1), await readFile(path)] as const));
  return new Map(contents.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

describe('the console in web/dist', () => {
  let made: string;
  before(async () => {
    made = await mkdtemp(join(tmpdir(), 'toolexec-console-'));
    await build({ configFile: join(WEB, 'vite.config.ts'), build: { outDir: made, emptyOutDir: true } });
  });
  after(() => rm(made, { recursive: true, force: true }));

  test('is what its sources make, byte for byte: after a change of them run `npx vite build web`', async () => {
    const [kept, fresh] = await Promise.all([filesIn(join(WEB, 'dist')), filesIn(made)]);
    assert.deepEqual([...kept.keys()], [...fresh.keys()]);
    for (const [path, content] of fresh) assert.ok(kept.get(path)?.equals(content), `${path} is not what the sources make`);
  });

  test('is small, and loads nothing from elsewhere', async () => {
    const files = await filesIn(join(WEB, 'dist'));
    const bytes = [...files.values()].reduce((sum, content) => sum + gzipSync(content).length, 0);
    assert.ok(bytes < 150_000, `${bytes} bytes`);
    const page = files.get('index.html')?.toString() ?? '';
    assert.ok(page.includes('/console/assets/'));
    assert.deepEqual(page.match(/(?:src|href)="(?!\/console\/)[^"]*"/g), null);
    assert.doesNotMatch(page, /<script(?![^>]*\ssrc=)|<style|\sstyle=/, 'nothing is written into the page that its policy forbids');
  });
});
