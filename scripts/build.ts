// Emits dist/: JavaScript for every source file but tests, and beside it the other files that sources read at run time.
import { spawnSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = ['src', 'routes', 'tools'];
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
const compiled = await compile();
if (compiled) {
  await Promise.all(SOURCES.map((source) => copyAssets(source)));
  await cp(join(root, 'web/dist'), join(dist, 'web/dist'), { recursive: true });
}
process.exitCode = compiled ? 0 : 1;

/** A configuration of its own, because tsc takes no exclusions on its command line. */
async function compile(): Promise<boolean> {
  const project = join(dist, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions: { noEmit: false, noEmitOnError: true, outDir: '.', rootDir: '..', sourceMap: true, inlineSources: true },
      include: SOURCES.map((source) => `../${source}`),
      exclude: ['../**/*.test.ts'],
    }),
  );
  const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--project', project], { cwd: root, stdio: 'inherit' });
  await rm(project);
  return status === 0;
}

async function copyAssets(source: string): Promise<void> {
  await cp(join(root, source), join(dist, source), { recursive: true, filter: (path) => !/\.[cm]?ts$/.test(basename(path)) });
}
