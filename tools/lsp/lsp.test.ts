import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CodePlace, LanguageAnswer, LanguageQuestion, LanguageServers, Tool } from '../../src/contract/index.ts';
import { commands } from '../../test/sandbox/commands.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { fake, serversInTest, TYPESCRIPT } from '../../test/language-servers/servers.ts';
import Edit from '../edit/index.ts';
import Read from '../read/index.ts';
import Lsp from './index.ts';
import type { LspInput } from './input.ts';
import { toolSuite } from '../../test/suites/tool.ts';

const SHAPES = 'export class Square {\n  side = 1;\n}\n';
const MAIN = "import { Square } from './shapes';\n\nexport const one = new Square();\n";

test('LSP asks a real server about the files of the session', async (t) => {
  const harness = await toolHarness(t);
  const { workspace } = harness;
  const { write, servers } = await serversInTest(t, { typescript: TYPESCRIPT }, { workspace });
  await write('shapes.ts', SHAPES);
  await write('main.ts', MAIN);
  const lsp = (input: LspInput) => harness.call(Lsp, input, { services: { languageServers: servers } });
  const text = async (input: LspInput) => (await lsp(input)).text;

  assert.equal(
    await text({ operation: 'goToDefinition', file_path: 'main.ts', line: 3, character: 24 }),
    'shapes.ts:1:14: export class Square {',
  );
  const references = await text({ operation: 'references', file_path: join(workspace, 'shapes.ts'), line: 1, character: 14 });
  assert.deepEqual(references.split('\n').toSorted(), [
    "main.ts:1:10: import { Square } from './shapes';",
    'main.ts:3:24: export const one = new Square();',
    'shapes.ts:1:14: export class Square {',
  ]);
  assert.equal(await text({ operation: 'document_symbols', file_path: 'shapes.ts' }), '1:14: class Square\n2:3:   property side');
  assert.equal(await text({ operation: 'workspaceSymbol', file_path: 'main.ts', query: 'Square' }), 'shapes.ts:1:1: class Square');
  assert.match(await text({ operation: 'hover', file_path: 'main.ts', line: 3, character: 14 }), /const one: Square/);
  assert.match(
    await text({ operation: 'hover', file_path: 'main.ts', line: 2, character: 1 }),
    /^Nothing is known for line 2, character 1 of main\.ts\./,
  );
  assert.equal(await text({ operation: 'diagnostics', file_path: 'main.ts' }), 'No errors or warnings in main.ts.');

  await harness.call(Read, { file_path: 'main.ts' });
  await harness.call(Edit, { file_path: 'main.ts', old_string: 'new Square()', new_string: 'new Squara()' });
  const wrong = await lsp({ operation: 'diagnostics', file_path: 'main.ts' });
  assert.match(wrong.text, /^main\.ts:3:24: error: .*'Squara'.* \[typescript \d+\]$/m);
  const view = (Lsp as Tool).renderResult({ operation: 'diagnostics', file_path: 'main.ts' }, wrong.result);
  assert.ok(view.body?.kind === 'list' && view.body.items.some((item) => item.includes('Squara')));
});

/** Answers everything with this, and remembers what it was asked. */
function answering(answer: LanguageAnswer): { languageServers: LanguageServers; asked: LanguageQuestion[] } {
  const asked: LanguageQuestion[] = [];
  return {
    asked,
    languageServers: {
      ask: (question) => {
        asked.push(question);
        return Promise.resolve(answer);
      },
    },
  };
}

const at = (path: string, line: number): CodePlace => ({ path, line, character: 1 });

test('LSP', async (t) => {
  const harness = await toolHarness(t);
  const { workspace } = harness;
  await writeFile(join(workspace, 'a.ts'), 'const a = 1;\r\nlast');
  const place = { operation: 'references', file_path: 'a.ts', line: 1, character: 7 } as const;
  const told = async (answer: LanguageAnswer, input: LspInput = place) =>
    (await harness.call(Lsp, input, { services: answering(answer) })).text;

  await t.test('Places outside of the session are named, and nothing of their text is shown', async () => {
    await symlink('/etc/passwd', join(workspace, 'link.ts'));
    const text = await told({
      kind: 'places',
      places: [at('/etc/passwd', 1), at(join(workspace, 'link.ts'), 1), at(join(workspace, 'no.ts'), 1)],
    });
    assert.equal(text, '/etc/passwd:1:1: (outside of the directories of this session)\nlink.ts:1:1:\nno.ts:1:1:');
  });

  await t.test('Lines come from the files that they stand in, whatever is in these', async () => {
    await writeFile(join(workspace, 'b.ts'), 'one\n\0two\n' + 'x'.repeat(5_000) + '\nfour');
    await writeFile(join(workspace, "-n 'c\n.ts"), 'first of c\n');
    const places = [
      at(join(workspace, 'b.ts'), 4),
      at(join(workspace, 'b.ts'), 2),
      at(join(workspace, 'b.ts'), 3),
      at(join(workspace, 'b.ts'), 9),
    ];
    const text = await told({ kind: 'places', places: [...places, at(join(workspace, "-n 'c\n.ts"), 1), at(join(workspace, 'a.ts'), 2)] });
    assert.deepEqual(text.split('\n'), [
      'b.ts:4:1: four',
      'b.ts:2:1: two',
      `b.ts:3:1: ${'x'.repeat(199)}…`,
      'b.ts:9:1:',
      String.raw`"-n 'c\n.ts":1:1: first of c`,
      'a.ts:2:1: last',
    ]);
  });

  await t.test('Names and messages of a server cannot pass for other lines, and cost no more than a line', async () => {
    const symbol = {
      ...at(join(workspace, 'a.ts'), 1),
      name: 'evil\na.ts:9:9: class Forged',
      kind: 'class',
      depth: 0,
      container: 'in\u0007side',
    };
    const symbols = await told({ kind: 'symbols', symbols: [symbol] }, { operation: 'workspace_symbols', file_path: 'a.ts', query: 'e' });
    assert.equal(symbols, 'a.ts:1:1: class evil a.ts:9:9: class Forged (in in side)');
    const diagnostic = {
      ...at(join(workspace, 'a.ts'), 1),
      severity: 'error',
      message: 'first\na.ts:1:2: error: forged\u001b[2J',
    } as const;
    const diagnostics = await told({ kind: 'diagnostics', diagnostics: [diagnostic] }, { operation: 'diagnostics', file_path: 'a.ts' });
    assert.equal(diagnostics, 'a.ts:1:1: error: first\n    a.ts:1:2: error: forged[2J');
  });

  await t.test('Of very many places two hundred are shown, and it is said that there are more', async () => {
    const text = await told({ kind: 'places', places: Array.from({ length: 500 }, () => at(join(workspace, 'a.ts'), 1)) });
    assert.equal(text.split('\n').length, 201);
    assert.match(text, /\(Showing 200 of 500 or more\. .*\)$/);
  });

  await t.test('Nothing found is said in words', async () => {
    assert.match(await told({ kind: 'places', places: [] }), /^No references found for line 1, character 7 of a\.ts\. Make sure/);
    const input = { operation: 'workspace_symbols', file_path: 'a.ts', query: 'q"' } as const;
    assert.equal(await told({ kind: 'symbols', symbols: [] }, input), String.raw`No symbol of the workspace matches "q\"".`);
  });

  await t.test('A place that is not in the file is an error before any server is asked', async () => {
    const { asked, ...services } = answering({ kind: 'places', places: [] });
    const wrong = (line: number, character: number) => harness.call(Lsp, { ...place, line, character }, { services });
    await assert.rejects(wrong(3, 1), /Line 3 is past the end of a\.ts, which has 2 lines/);
    await assert.rejects(wrong(2, 6), /Character 6 is past the end of line 2 of a\.ts, which has 4 characters/);
    assert.equal(asked.length, 0);
    await wrong(2, 5);
    assert.deepEqual([asked[0]?.line, asked[0]?.character, asked[0]?.text], [2, 5, 'const a = 1;\r\nlast']);
  });

  await t.test('What is missing for the operation is said before the call runs', async () => {
    const verdict = async (input: LspInput) => Lsp.validateInput?.(input);
    assert.deepEqual(await verdict({ operation: 'goToDefinition', file_path: 'a.ts' }), {
      ok: false,
      message: 'definition needs line and character: give the place of the name that is meant, both counted from 1.',
    });
    assert.equal((await verdict({ operation: 'workspaceSymbol', file_path: 'a.ts' }))?.ok, false);
    assert.equal((await verdict({ operation: 'document_symbols', file_path: 'a.ts' }))?.ok, true);
  });

  await t.test('Binary files, directories and paths outside are refused as the model named them', async () => {
    await writeFile(join(workspace, 'bin.ts'), Buffer.from([0, 1, 2, 3]));
    await mkdir(join(workspace, 'dir.ts'));
    const refused = (file_path: string, reason: RegExp) =>
      assert.rejects(told({ kind: 'text', text: '' }, { operation: 'diagnostics', file_path }), reason);
    await refused('bin.ts', /^FileError: bin\.ts is a binary file/);
    await refused('dir.ts', /^FileError: dir\.ts is a directory/);
    await refused('/etc/passwd', /outside/);
    await refused('gone.ts', /^FileError: gone\.ts does not exist/);
  });

  await t.test('A call that is stopped ends within a moment', async () => {
    const { servers, write } = await serversInTest(t, { fake: fake('hangs') }, { workspace });
    await write('x.fake', 'x');
    const stop = new AbortController();
    const call = harness.call(
      Lsp,
      { ...place, file_path: 'x.fake', character: 1 },
      { signal: stop.signal, services: { languageServers: servers } },
    );
    setTimeout(() => stop.abort({ kind: 'aborted', message: 'stop' }), 100);
    await assert.rejects(call, /The question was stopped/);
  });
});

test('Of a file that the sandbox hides LSP shows no line, whatever a server says', async (t) => {
  const harness = await toolHarness(t);
  const { workspace } = harness;
  const [denied, open] = [join(workspace, 'denied.ts'), join(workspace, 'open.ts')];
  const { runner } = await commands(t, { sandbox: () => ({ workspace, masked: [denied] }) });
  await writeFile(join(workspace, 'a.ts'), 'a');
  await writeFile(denied, 'the secret');
  await writeFile(open, 'no secret');
  const { text } = await harness.call(
    Lsp,
    { operation: 'definition', file_path: 'a.ts', line: 1, character: 1 },
    { commands: runner, services: answering({ kind: 'places', places: [at(denied, 1), at(open, 1)] }) },
  );
  assert.equal(text, 'denied.ts:1:1:\nopen.ts:1:1: no secret');
});

toolSuite({
  tool: Lsp,
  input: { operation: 'definition', file_path: 'a.ts', line: 1, character: 1 },
  furnish: ({ workspace }) => writeFile(join(workspace, 'a.ts'), MAIN),
  ports: ({ workspace }) => ({ services: answering({ kind: 'places', places: [at(join(workspace, 'a.ts'), 1)] }) }),
});
