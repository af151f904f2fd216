import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GENERATED_FILE, generateTypes } from '../../client/generate.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'client/src');

test('the types of bodies and events are what the documents say', async () => {
  const onDisk = await readFile(GENERATED_FILE, 'utf8');
  assert.ok(
    onDisk === (await generateTypes()),
    'client/src/generated.ts is not what the documents say: run node client/generate.ts and commit it.',
  );
});

test('no source needs Node, or another package', async () => {
  for (const name of await readdir(sources)) {
    const text = await readFile(join(sources, name), 'utf8');
    for (const [, path] of text.matchAll(/from '([^']+)'/g)) assert.match(path ?? '', /^\.\/[a-z-]+\.ts$/, `${name} imports ${path}`);
  }
});

test('the built package is used with its types by a strict project, and runs', async (t) => {
  const project = await builtInto(t);
  const uses = await readFile(join(root, 'test/client/uses-of-types.ts'), 'utf8');
  await writeFile(join(project, 'uses.ts'), uses.replace('../../client/src/index.ts', 'toolexec-client'));
  await writeFile(
    join(project, 'run.mjs'),
    "import { ToolexecClient } from 'toolexec-client';\nconsole.log(typeof new ToolexecClient().sessions.create);\n",
  );
  await run(join(root, 'node_modules/.bin/tsc'), [], { cwd: project, timeout: 55_000 }).catch((error: { stdout: string }) => {
    assert.fail(error.stdout);
  });
  assert.equal((await run(process.execPath, ['run.mjs'], { cwd: project })).stdout, 'function\n');
});

/** @returns a project that has the package, and zod, among its packages */
async function builtInto(t: TestContext): Promise<string> {
  const project = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-client-')));
  t.after(() => rm(project, { recursive: true, force: true }));
  const installed = join(project, 'node_modules/toolexec-client');
  await mkdir(installed, { recursive: true });
  await cp(join(root, 'client/package.json'), join(installed, 'package.json'));
  await symlink(join(root, 'node_modules/zod'), join(project, 'node_modules/zod'));
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', lib: ['es2023', 'dom'], types: [] };
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['uses.ts'] }));
  const build = ['--project', join(root, 'client/tsconfig.json'), '--outDir', join(installed, 'dist')];
  await run(join(root, 'node_modules/.bin/tsc'), build, { timeout: 55_000 });
  return project;
}
