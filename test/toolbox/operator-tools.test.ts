import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportTools } from '../../src/toolbox/schemas/export-formats.ts';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { loadOperatorTools } from '../../src/toolbox/load/operator-tools.ts';
import { toolHarness } from '../support/tool-harness.ts';
import { names, sampleTool } from './sample-tools.ts';
import { directoryOf } from './tool-directory.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const CONTRACT = new URL('../../src/contract/index.ts', import.meta.url).href;
const shipped = [sampleTool('Read'), sampleTool('Agent', { aliases: ['Task'] })];

/** Source of a plain definition, JavaScript and TypeScript alike. */
function source(name: string, rest = ''): string {
  return `export default { name: '${name}', inputSchema: { type: 'object' }, description: 'What it does.', call: () => ({ content: '' }), ${rest} };`;
}

describe('An operator’s own tools', () => {
  test('are plain definitions in TypeScript or JavaScript, or what buildTool gave', async (t) => {
    const directory = await directoryOf(t, {
      'one/index.ts': `const name: string = 'One';\n${source('One')}`,
      'two/index.js': source('Two'),
      'three/index.mjs': source('Three', 'description: ({ workspace }) => `In ${workspace}.`,').replace(
        "description: 'What it does.', ",
        '',
      ),
      'four/index.mts': `import { buildTool } from ${JSON.stringify(CONTRACT)};\nexport default buildTool(${source('Four', "description: () => '4'").replace('export default ', '').replace(/;$/, '')});`,
      'package.json': '{"type": "module"}',
      'README.md': 'Not a tool.',
    });
    const { tools, refused } = await loadOperatorTools(directory, { shipped });
    assert.deepEqual(refused, []);
    assert.deepEqual(names(tools), ['Four', 'One', 'Three', 'Two']);
    const said = exportTools(tools, { format: 'anthropic', context: { workspace: '/w' } }).map(
      (definition) => 'description' in definition && definition.description,
    );
    assert.deepEqual(said, ['4', 'What it does.', 'In /w.', 'What it does.']);
    assert.equal(tools[1]?.isReadOnly({}), false);
  });

  const broken: Record<string, readonly [files: Record<string, string>, reason: RegExp]> = {
    'throws while loading': [{ 'bad/index.ts': 'throw new Error("no luck\\nand more");' }, /cannot be loaded: no luck$/],
    'has a syntax error': [{ 'bad/index.ts': 'export default {' }, /cannot be loaded/],
    'has no index': [{ 'bad/tool.ts': source('Bad') }, /no index\.ts/],
    'exports nothing': [{ 'bad/index.mjs': 'export const tool = 1;' }, /export a tool as the default export/],
    'misspells a field': [{ 'bad/index.mjs': source('Bad', 'isReadonly: () => true') }, /tools have no field isReadonly/],
    'gives a field of a wrong type': [
      { 'bad/index.mjs': source('Bad', "timeoutMs: '5', isReadOnly: true") },
      /timeoutMs: give a number; isReadOnly: give a function/,
    ],
    'has no call': [{ 'bad/index.mjs': source('Bad').replace('call:', 'renderUse:') }, /call: give a function/],
    'has a name that models do not take': [{ 'bad/index.mjs': source('not a name') }, /name: give 1 to 64 letters/],
    'has another name than its folder': [{ 'bad/index.mjs': source('Good2') }, /rename the folder to good2/],
    'hints at what no call can be': [{ 'bad/index.mjs': source('Bad', 'hints: { readOnly: false }') }, /hints: readOnly: give true/],
    'misspells a hint': [{ 'bad/index.mjs': source('Bad', 'hints: { readonly: true }') }, /tools have no field hints\.readonly/],
    'has a broken schema': [
      { 'bad/index.mjs': source('Bad', "inputSchema: { type: 'object', properties: { a: { type: 'strin' } } }") },
      /properties\/a\/type/,
    ],
    'has a schema that is no object': [{ 'bad/index.mjs': source('Bad', "inputSchema: { type: 'array' }") }, /must describe an object/],
    'requires what is not there': [{ 'bad/index.mjs': source('Bad'), 'bad/requires.json': '["modle"]' }, /requires modle/],
    'never ends loading': [{ 'bad/index.mjs': `await new Promise(() => {});\n${source('Bad')}` }, /took more than/],
    'has the name of a tool of the service': [{ 'read/index.mjs': source('Read') }, /name Read already belongs to the tool Read/],
    'takes a former name of another tool': [
      { 'bad/index.mjs': source('Bad', "aliases: ['Task']") },
      /name Task already belongs to the tool Agent/,
    ],
  };
  for (const [what, [files, reason]] of Object.entries(broken)) {
    test(`One that ${what} is refused with one line, and the others are there`, async (t) => {
      const directory = await directoryOf(t, { ...files, 'good/index.mjs': source('Good') });
      const { tools, refused } = await loadOperatorTools(directory, { shipped, ...(what === 'never ends loading' && { loadMs: 1_500 }) });
      assert.deepEqual(names(tools), ['Good']);
      assert.deepEqual(
        refused.map(({ folder }) => folder),
        [Object.keys(files)[0]?.split('/')[0]],
      );
      assert.match(refused[0]?.reason ?? '', reason);
      assert.ok(!refused[0]?.reason.includes('\n'));
    });
  }

  test('may say what holds for all of their calls', async (t) => {
    const hints = { readOnly: true, destructive: false, idempotent: true };
    const directory = await directoryOf(t, { 'said/index.mjs': source('Said', `hints: ${JSON.stringify(hints)}`) });
    const { tools } = await loadOperatorTools(directory, { shipped });
    assert.deepEqual(tools[0]?.hints, hints);
  });

  test('Of two that share a name the first folder’s stays', async (t) => {
    const directory = await directoryOf(t, {
      'first/index.mjs': source('First', "aliases: ['Same']"),
      'second/index.mjs': source('Second', "aliases: ['Same']"),
    });
    const { tools, refused } = await loadOperatorTools(directory, { shipped });
    assert.deepEqual(names(tools), ['First']);
    assert.match(refused[0]?.reason ?? '', /Same already belongs to the tool First/);
  });

  test('are chosen and switched off like those of the service, before they are loaded', async (t) => {
    const directory = await directoryOf(t, { 'on/index.mjs': source('On'), 'off/index.mjs': 'throw new Error("loaded");' });
    for (const choice of [{ exclude: ['Off'] }, { include: ['On'] }]) {
      const { tools, refused } = await loadOperatorTools(directory, { shipped, ...choice });
      assert.deepEqual([names(tools), refused], [['On'], []]);
    }
  });

  test('may be linked into the directory', async (t) => {
    const elsewhere = await directoryOf(t, { 'linked/index.mjs': source('Linked') });
    const directory = await directoryOf(t, { 'nothing.txt': '' });
    await symlink(join(elsewhere, 'linked'), join(directory, 'linked'));
    await symlink(join(elsewhere, 'gone'), join(directory, 'gone'));
    const { tools, refused } = await loadOperatorTools(directory, { shipped });
    assert.deepEqual([names(tools), refused], [['Linked'], []]);
  });

  test('are told by name before they run, one after the other: one that never gives way is the last', async (t) => {
    const directory = await directoryOf(t, {
      'first/index.mjs': source('First'),
      'stuck/index.mjs': `import { writeSync } from 'node:fs';\nwriteSync(1, 'stuck runs\\n');\nwhile (true) {}\n${source('Stuck')}`,
      'third/index.mjs': source('Third'),
      'start.mjs': `import { writeSync } from 'node:fs';
        import { loadOperatorTools } from ${JSON.stringify(new URL('../../src/toolbox/load/operator-tools.ts', import.meta.url).href)};
        await loadOperatorTools(import.meta.dirname, { shipped: [], onLoad: (folder) => writeSync(1, folder + ' is next\\n') });`,
    });
    const child = spawn(process.execPath, [join(directory, 'start.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    let told = '';
    for await (const chunk of child.stdout) {
      told += String(chunk);
      if (told.includes('stuck runs')) break;
    }
    assert.equal(told, 'first is next\nstuck is next\nstuck runs\n');
  });

  test('A directory that cannot be read stops the start', async () => {
    await assert.rejects(loadOperatorTools(join(tmpdir(), 'no such directory of tools'), { shipped }), /ENOENT/);
  });

  for (const [version, module] of [
    ['4', 'zod'],
    ['3', 'zod/v3'],
  ] as const) {
    test(`may bring a copy of Zod ${version} of their own, texts and all`, async (t) => {
      const index = `import { z } from '${module}';\n${source('Zoddy', "inputSchema: z.object({ n: z.number().describe('How many.') }).strict()")}`;
      const directory = await directoryOf(t, { 'zoddy/index.mjs': index });
      await cp(join(PROJECT, 'node_modules/zod'), join(directory, 'node_modules/zod'), { recursive: true });
      const { tools, refused } = await loadOperatorTools(directory, { shipped });
      assert.deepEqual(refused, []);
      const [tool] = tools;
      assert.ok(tool);
      assert.deepEqual(inputJsonSchema(tool), {
        type: 'object',
        properties: { n: { type: 'number', description: 'How many.' } },
        required: ['n'],
        additionalProperties: false,
      });
      assert.equal(inputValidator(tool)({ n: 1 }).ok, true);
      const checked = inputValidator(tool)({ n: 'x', m: 1 });
      assert.deepEqual(!checked.ok && checked.issues.map(({ kind }) => kind).toSorted(), ['type', 'unexpected']);
    });
  }
});

describe('The tool of one’s own in tools/README.md', () => {
  test('loads from a directory of its own, and runs', async (t) => {
    const text = await readFile(join(PROJECT, 'tools/README.md'), 'utf8');
    const [, path = '', code = ''] = /^`(my-tools\/[^`]+)`:\n\n```ts\n([^]*?)^```$/m.exec(text) ?? [];
    const directory = await directoryOf(t, { [path]: code });
    const { tools, refused } = await loadOperatorTools(join(directory, 'my-tools'), { shipped });
    assert.deepEqual(refused, []);
    const [tool] = tools;
    assert.ok(tool);
    const harness = await toolHarness(t);
    assert.equal((await harness.call(tool, { text: 'one two  three' })).text, '3 words');
  });
});
