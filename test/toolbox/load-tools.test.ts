import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Tool } from '../../src/contract/index.ts';
import { ToolDefinitionError } from '../../src/contract/index.ts';
import { createCatalog } from '../../src/toolbox/catalog.ts';
import { folderName } from '../../src/toolbox/load/folder-name.ts';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { loadTools } from '../../src/toolbox/load/load-tools.ts';
import { toolHarness } from '../support/tool-harness.ts';
import { names } from './sample-tools.ts';
import { directoryOf } from './tool-directory.ts';

const CONTRACT = new URL('../../src/contract/index.ts', import.meta.url).href;

/** Source of a tool's index that needs no types, so that it serves as .ts and as .js. */
function source(name: string, rest = ''): string {
  return `import { buildTool } from ${JSON.stringify(CONTRACT)};
    export default buildTool({ name: '${name}', inputSchema: { type: 'object' }, description: () => '', call: () => ({ content: '' }), ${rest} });`;
}

/** Source that leaves a mark when it runs. */
function marking(t: TestContext, name: string): string {
  t.after(() => Reflect.deleteProperty(globalThis, `loaded ${name}`));
  return `globalThis['loaded ${name}'] = true;\n${source(name)}`;
}

/** Which of these have run. */
function haveRun(...tools: string[]): string[] {
  return tools.filter((name) => `loaded ${name}` in globalThis);
}

describe('Loading tools', () => {
  test('Every folder is a tool, in code point order of the folders, and files beside them are none', async (t) => {
    const directory = await directoryOf(t, {
      'b/index.ts': source('B'),
      'c-d/index.js': source('C_D'),
      'a/index.mjs': source('A'),
      'a/helper.ts': 'export const x = 1;',
      'README.md': 'Not a tool.',
      '.git/index.ts': 'throw new Error("hidden");',
      'node_modules/some/index.js': 'throw new Error("a package");',
    });
    assert.deepEqual(names(await loadTools(directory)), ['A', 'B', 'C_D']);
    assert.deepEqual(names(await loadTools(pathToFileURL(`${directory}/`))), ['A', 'B', 'C_D']);
  });

  test('A tool lives in the folder of its name, so that it can be left out before it is loaded', async (t) => {
    const directory = await directoryOf(t, { 'notebook/index.ts': source('NotebookEdit') });
    await assert.rejects(
      loadTools(directory),
      /Tool folder notebook holds a tool named NotebookEdit: rename the folder to notebook-edit\./,
    );
    const folders = ['NotebookEdit', 'LSP', 'HTTPGet', 'snake_case', 'Read'].map(folderName);
    assert.deepEqual(folders, ['notebook-edit', 'lsp', 'http-get', 'snake-case', 'read']);
  });

  test('The module of a tool that is switched off never runs', async (t) => {
    const directory = await directoryOf(t, { 'good/index.ts': marking(t, 'Good'), 'web-fetch/index.ts': marking(t, 'WebFetch') });
    assert.deepEqual(names(await loadTools(directory, { exclude: ['WebFetch'] })), ['Good']);
    assert.deepEqual(names(await loadTools(directory, { include: ['Good'] })), ['Good']);
    assert.deepEqual(haveRun('Good', 'WebFetch'), ['Good']);
    assert.deepEqual(names(await loadTools(directory)), ['Good', 'WebFetch']);
    assert.deepEqual(haveRun('Good', 'WebFetch'), ['Good', 'WebFetch']);
  });

  test('A tool is also chosen and switched off by a former name', async (t) => {
    const directory = await directoryOf(t, { 'agent/index.ts': source('Agent', 'aliases: ["Task"]'), 'read/index.ts': source('Read') });
    assert.deepEqual(names(await loadTools(directory, { include: ['Task'] })), ['Agent']);
    assert.deepEqual(names(await loadTools(directory, { exclude: ['Task'] })), ['Read']);
    assert.deepEqual(names(await loadTools(directory, { include: [] })), []);
  });

  test('A tool that requires what the service does not have is not there, and its module never runs', async (t) => {
    const directory = await directoryOf(t, {
      'agent/index.ts': marking(t, 'Agent'),
      'agent/requires.json': '["model", "lsp"]',
      'read/index.ts': source('Read'),
    });
    assert.deepEqual(names(await loadTools(directory)), ['Read']);
    assert.deepEqual(names(await loadTools(directory, { features: new Set(['model']) })), ['Read']);
    assert.deepEqual(haveRun('Agent'), []);
    assert.deepEqual(names(await loadTools(directory, { features: new Set(['lsp', 'model', 'more']) })), ['Agent', 'Read']);
  });

  const broken = {
    'throws while loading': { 'bad/index.ts': 'throw new Error("no luck\\nand more");' },
    'has a syntax error': { 'bad/index.ts': 'export default {' },
    'has no default export': { 'bad/index.ts': 'export const tool = 1;' },
    'exports a definition that was not built': { 'bad/index.ts': 'export default { name: "Bad", call() {} };' },
    'exports a definition that cannot be built': { 'bad/index.ts': source('not a name') },
    'has no index': { 'bad/other.ts': '' },
    'requires what is no list': { 'bad/index.ts': source('Bad'), 'bad/requires.json': '{"model": true}' },
    'requires what is no JSON': { 'bad/index.ts': source('Bad'), 'bad/requires.json': 'model' },
    'holds a tool of another name': { 'bad/index.ts': source('Good') },
  };
  for (const [what, files] of Object.entries(broken)) {
    test(`A folder that ${what} gives one line that names the folder`, async (t) => {
      const directory = await directoryOf(t, { ...files, 'good/index.ts': source('Good') });
      await assert.rejects(loadTools(directory), (error) => {
        assert.ok(error instanceof ToolDefinitionError);
        assert.match(error.message, /^Tool folder bad\b.+$/);
        return true;
      });
    });
  }

  test('Every tool of the project loads, has a description, and a schema that models take', async () => {
    const tools = await loadTools(new URL('../../tools/', import.meta.url));
    assert.ok(tools.length >= 6);
    const catalog = createCatalog(tools);
    assert.deepEqual(catalog.names?.(), names(tools).toSorted());
    for (const tool of tools) {
      assert.equal(catalog.find(tool.name), tool);
      assertFitForModels(tool);
    }
  });
});

/** What tools/README.md asks of every tool. */
function assertFitForModels(tool: Tool): void {
  assert.ok(tool.description({ workspace: '/workspace' }).length >= 40, `${tool.name} needs a description of at least 40 characters`);
  const schema = inputJsonSchema(tool);
  assert.equal(schema['type'], 'object');
  assert.ok(!('$schema' in schema) && !('$ref' in schema), tool.name);
}

describe('The example in tools/README.md', () => {
  const project = fileURLToPath(new URL('../../', import.meta.url));

  /** The files that the text shows, in a directory that looks to them like the project. */
  async function exampleOf(t: TestContext): Promise<{ root: string; shown: string[] }> {
    const text = await readFile(join(project, 'tools/README.md'), 'utf8');
    const files = [...text.matchAll(/^`(tools\/[^`]+)`:\n\n```\w+\n([^]*?)^```$/gm)].map(
      ([, path = '', code = '']) => [path, code] as const,
    );
    const root = await directoryOf(t, { ...Object.fromEntries(files), 'package.json': '{"type":"module"}' });
    for (const name of ['src', 'test', 'node_modules']) await symlink(join(project, name), join(root, name));
    return { root, shown: files.map(([path]) => path) };
  }

  test('is a tool: it loads, keeps the rules, runs, and its view keeps its title', async (t) => {
    const { root, shown } = await exampleOf(t);
    assert.deepEqual(
      shown.map((path) => extname(path)),
      ['.md', '.ts', '.ts'],
    );
    const [tool] = await loadTools(join(root, 'tools'));
    assert.ok(tool);
    assertFitForModels(tool);
    const harness = await toolHarness(t);
    await writeFile(join(harness.workspace, 'a.txt'), 'one\ntwo\nthree\n');
    const input = { file_path: 'a.txt' };
    const { result, text } = await harness.call(tool, input);
    assert.equal(text, '3 lines');
    assert.deepEqual(tool.renderResult(input, result), { ...tool.renderUse(input), body: { kind: 'text', text: '3 lines' } });
  });

  test('keeps the promises of its own test', async (t) => {
    const { root } = await exampleOf(t);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', 'tools/count-lines/count-lines.test.ts'], { cwd: root, env });
    assert.match(stdout, /pass 7\n[^]*fail 0\n/);
  });
});
