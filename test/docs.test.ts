// Every example of the documents is what it says: commands are run, settings are taken, links lead somewhere.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readConfig } from '../src/config.ts';
import { examplesOf, promisedOutput, type Example } from './support/markdown.ts';
import { startProcess } from './support/process.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
const pages = ['README.md', ...(await readdir(join(PROJECT, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
const texts = new Map(await Promise.all(pages.map(async (page) => [page, await readFile(join(PROJECT, page), 'utf8')] as const)));
const { scripts } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** Blocks of these are read, not run. */
const SHOWN = new Set(['text', 'shell', 'js', '']);

function assertPrints(output: string, example: Example): void {
  let rest = output;
  for (const text of promisedOutput(example.code)) {
    const at = rest.indexOf(text);
    assert.ok(at !== -1, `line ${example.line}: ${JSON.stringify(text)} is not in what it prints:\n${rest}`);
    rest = rest.slice(at + text.length);
  }
}

async function workDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-docs-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('the documents', async (t) => {
  const server = await startProcess(t, { TOOLEXEC_DATA_DIR: await workDirectory(t) });
  for (const [page, text] of texts) {
    const examples = examplesOf(text);
    const sh = examples.filter(({ language }) => language === 'sh');
    const ts = examples.filter(({ language }) => language === 'ts');

    if (sh.length + ts.length > 0) {
      await t.test(`${page}: every command does what it says, and leaves no file behind`, async (part) => {
        const { host } = new URL(server.url);
        const here = (code: string): string =>
          code.replaceAll(/(localhost|127\.0\.0\.1):8080/g, host).replaceAll('node bin/', `node ${PROJECT}bin/`);
        const [cwd, scratch] = await Promise.all([workDirectory(part), workDirectory(part)]);
        const env = { ...process.env, HOME: scratch, TMPDIR: scratch };
        // One shell for a page, so that what one example has set the next one can use.
        const mark = 'end of the example of line';
        const script = sh.map(({ code, line }) => `${here(code)}\necho; echo '${mark} ${line}'`).join('\n');
        const { stdout } = await run('bash', ['-euc', script], { cwd, env, timeout: 60_000, maxBuffer: 2 ** 26 });
        const outputs = stdout.split(new RegExp(`^${mark} \\d+$`, 'm'));
        sh.forEach((example, index) => assertPrints(outputs[index] ?? '', example));
        // So that packages are found.
        await symlink(join(PROJECT, 'node_modules'), join(scratch, 'node_modules'));
        for (const example of ts) {
          const file = join(scratch, `line-${example.line}.mts`);
          await writeFile(file, here(example.code));
          const printed = await run(process.execPath, [file], { cwd, env, timeout: 60_000 });
          assertPrints(printed.stdout, example);
        }
        assert.deepEqual(await readdir(cwd), []);
      });
    }

    for (const example of examples.filter(({ language }) => language === 'json')) {
      await t.test(`${page}, line ${example.line}: the JSON is ${example.kind || 'JSON'}`, async (part) => {
        const value: unknown = JSON.parse(example.code);
        if (example.kind === 'config') {
          const file = join(await workDirectory(part), 'toolexec.json');
          await writeFile(file, example.code);
          assert.ok(readConfig({ TOOLEXEC_CONFIG: file }));
        } else if (example.kind === 'session') {
          const reply = await fetch(`${server.url}/v1/sessions`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(value),
          });
          assert.equal(reply.status, 201, await reply.text());
        }
      });
    }

    await t.test(`${page}: no example is of a kind that nothing checks`, () => {
      const known = new Set(['sh', 'ts', 'json', ...SHOWN]);
      assert.deepEqual(
        examples.filter(({ language }) => !known.has(language)).map(({ line }) => line),
        [],
      );
    });

    await t.test(`${page}: scripts that it names are there, and links lead to files`, () => {
      for (const [, name = ''] of text.matchAll(/npm run ([a-z:]+)/g)) assert.ok(scripts[name], `npm run ${name}`);
      for (const [, target = ''] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        assert.ok(existsSync(join(PROJECT, dirname(page), target)), `${page} links to ${target}`);
      }
    });
  }
  await server.end('SIGTERM');
});
