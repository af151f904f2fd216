// What is in the memory of the helper is copied for each command that it starts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** Loads the helper as the service would, and prints what else that has loaded. */
const LOAD = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  await import(${JSON.stringify(new URL('../../src/sandbox/supervisor/supervisor.ts', import.meta.url).href)});
  process.stdout.write(JSON.stringify(urls), () => process.exit());
`;

test('the process that starts commands loads no package, and of the contract only what it calls', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-helper-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  // Its own arguments come after the file that it would be started as.
  const args = ['--input-type=module', '--eval', LOAD, 'supervisor', directory, JSON.stringify({ graceMs: 1, orphanMs: 1 })];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const urls = (JSON.parse(stdout) as string[]).filter((url) => url.startsWith('file:'));
  assert.deepEqual(
    urls.filter((url) => url.includes('/node_modules/') || url.endsWith('/contract/index.ts')),
    [],
  );
  assert.ok(urls.length > 5, 'the helper itself was loaded');
});
