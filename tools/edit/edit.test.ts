import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import iconv from 'iconv-lite';
import type { ToolHarness } from '../../test/support/tool-harness.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { putKnownFile } from '../../test/workspace/support/known-file.ts';
import { refusalOf } from '../../test/workspace/support/refusal.ts';
import Edit from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

interface Place {
  readonly harness: ToolHarness;
  readonly path: string;
  /** The session has seen the file as it is now. */
  see(): Promise<void>;
  edit(old_string: string, new_string: string, replace_all?: boolean): Promise<{ text: string; isError: boolean }>;
  bytes(): Promise<Buffer>;
}

/** A file that the session has read. */
async function fileWith(t: TestContext, content: string | Buffer): Promise<Place> {
  const harness = await toolHarness(t);
  const path = await putKnownFile(harness, 'file.txt', content);
  return {
    harness,
    path,
    see: async () => void (await putKnownFile(harness, 'file.txt', await readFile(path))),
    bytes: () => readFile(path),
    async edit(old_string, new_string, replace_all) {
      const { text, result } = await harness.call(Edit, { file_path: 'file.txt', old_string, new_string, replace_all });
      return { text, isError: result.isError === true };
    },
  };
}

describe('Edit replaces', () => {
  test('the one place where the text stands, and nothing else', async (t) => {
    const place = await fileWith(t, 'one two three');
    const { text, isError } = await place.edit('two', 'TWO');
    assert.equal((await place.bytes()).toString(), 'one TWO three');
    assert.deepEqual([isError, text], [false, 'Updated file.txt: 1 replacement.']);
    assert.deepEqual(await readdir(place.harness.workspace), ['file.txt']);
  });

  test('every place with replace_all, also where the new text holds the old', async (t) => {
    const place = await fileWith(t, 'aa b aa');
    assert.match((await place.edit('a', 'aa', true)).text, /4 replacements/);
    assert.equal((await place.bytes()).toString(), 'aaaa b aaaa');
  });

  test('several edits in a row without reading in between', async (t) => {
    const place = await fileWith(t, 'a b c');
    await place.edit('a', '1');
    await place.edit('b', '2');
    assert.equal((await place.bytes()).toString(), '1 2 c');
  });

  test('text with patterns of replacement in it, literally', async (t) => {
    const place = await fileWith(t, 'price: X');
    await place.edit('X', "$& $1 $' \\n");
    assert.equal((await place.bytes()).toString(), "price: $& $1 $' \\n");
  });

  test('through a link, in the file that it leads to', async (t) => {
    const place = await fileWith(t, 'old');
    await symlink('file.txt', join(place.harness.workspace, 'link'));
    await place.harness.call(Edit, { file_path: 'link', old_string: 'old', new_string: 'new' });
    assert.equal((await place.bytes()).toString(), 'new');
    assert.ok((await stat(place.path)).isFile());
  });
});

describe('Edit keeps', () => {
  const kept: [what: string, before: string | Buffer, old: string, replacement: string, after: string | Buffer][] = [
    ['CRLF line endings', 'a\r\nb\r\nc\r\n', 'a\nb', 'a\nx\ny', 'a\r\nx\r\ny\r\nc\r\n'],
    ['CRLF where only the new text has a line break', 'a\r\nb\r\n', 'b', 'b\nc', 'a\r\nb\r\nc\r\n'],
    ['lone CR line endings', 'a\rb\rc', 'a\nb', 'a\nx', 'a\rx\rc'],
    ['a stray CR in a file with LF', 'a\rb\nc\n', 'c', 'd\ne', 'a\rb\nd\ne\n'],
    ['mixed line endings of lines that do not change', 'a\r\nb\nc\r\nd', 'a\nb\nc\nd', 'a\nB\nc\nd', 'a\r\nB\nc\r\nd'],
    ['mixed line endings before the line that changes', 'a\nb\r\nc\nd', 'a\nb\nc', 'a\nb\nC', 'a\nb\r\nC\nd'],
    ['a literal CR that is asked for', 'a\r\nb\n', 'a\r\nb', 'a\nb', 'a\nb\n'],
    ['a missing last line break', 'a\nb', 'b', 'c', 'a\nc'],
    ['trailing blanks', 'a  \nb\t\n', 'b', 'c', 'a  \nc\t\n'],
    ['a byte order mark', '\uFEFFaé', 'a', 'b', '\uFEFFbé'],
    [
      'a byte that is no UTF-8',
      Buffer.concat([Buffer.from('äöüßÄÖÜäöüß'), Buffer.from([0xff, 0x0a]), Buffer.from('ä')]),
      '\n',
      '\né',
      Buffer.concat([Buffer.from('äöüßÄÖÜäöüß'), Buffer.from([0xff, 0x0a]), Buffer.from('éä')]),
    ],
    ['the Unicode form of every accent', 'e\u0301 \u00e9 x', 'x', 'e\u0301', 'e\u0301 \u00e9 e\u0301'],
  ];
  for (const [what, before, old, replacement, after] of kept) {
    test(what, async (t) => {
      const place = await fileWith(t, before);
      const { text, isError } = await place.edit(old, replacement);
      assert.equal(isError, false, text);
      assert.deepEqual(await place.bytes(), Buffer.from(after));
    });
  }

  for (const [encoding, addBOM] of [
    ['utf16le', true],
    ['utf16be', true],
    ['utf16le', false],
    ['latin1', false],
  ] as const) {
    test(`the encoding: ${encoding} ${addBOM ? 'with' : 'without'} mark`, async (t) => {
      const encode = (text: string): Buffer => iconv.encode(text, encoding, { addBOM });
      const place = await fileWith(t, encode('Grüße aus München\r\nund Köln\r\n'));
      assert.equal((await place.edit('München\nund', 'Düren\nund')).isError, false);
      assert.deepEqual(await place.bytes(), encode('Grüße aus Düren\r\nund Köln\r\n'));
    });
  }

  test('the mode of the file', async (t) => {
    const place = await fileWith(t, '#!/bin/sh\n');
    await chmod(place.path, 0o750);
    await place.edit('sh', 'bash');
    assert.equal((await stat(place.path)).mode & 0o7777, 0o750);
  });
});

describe('Edit refuses', () => {
  test('a file that was not read in this session', async (t) => {
    const place = await fileWith(t, 'text');
    await writeFile(join(place.harness.workspace, 'other'), 'text');
    const error = await refusalOf(place.harness.call(Edit, { file_path: 'other', old_string: 'text', new_string: 'new' }));
    assert.match(error.message, /^other has not been read in this session\. Read it first/);
    assert.equal(await readFile(join(place.harness.workspace, 'other'), 'utf8'), 'text');
  });

  test('a missing file, and one outside the workspace', async (t) => {
    const place = await fileWith(t, '');
    const call = (file_path: string) => place.harness.call(Edit, { file_path, old_string: 'a', new_string: 'b' });
    assert.equal((await refusalOf(call('missing'))).code, 'not_found');
    assert.equal((await refusalOf(call('../outputs/x'))).code, 'outside');
    assert.equal((await refusalOf(call('.'))).code, 'not_a_file');
  });

  test('text that stands in more than one place, and tells how many and where', async (t) => {
    const place = await fileWith(t, 'x = 1\ny = 2\nx = 1\n');
    const { text, isError } = await place.edit('x = 1', 'x = 2');
    assert.ok(isError);
    assert.match(text, /2 times \(lines 1, 3\).*replace_all/);
    assert.equal((await place.bytes()).toString(), 'x = 1\ny = 2\nx = 1\n');
  });

  test('text that overlaps itself', async (t) => {
    const place = await fileWith(t, 'aaa');
    assert.ok((await place.edit('aa', 'b')).isError);
    assert.equal((await place.bytes()).toString(), 'aaa');
  });

  test('text that is not there, and shows the nearest lines', async (t) => {
    const place = await fileWith(t, 'import a\n\nfunction total(items) {\n  return items.length;\n}\n');
    const { text, isError } = await place.edit('function total(item) {\n  return item.length;\n}', 'x');
    assert.ok(isError);
    assert.match(text, /not found.*\n3\tfunction total\(items\) \{\n4\t {2}return items\.length;\n5\t\}/);
    assert.match((await place.edit('zzzzqqqq', 'x')).text, /No line is like it/);
  });

  test('text in another Unicode form, and says that this is the difference', async (t) => {
    const place = await fileWith(t, 'cafe\u0301\n');
    assert.match((await place.edit('caf\u00e9', 'tea')).text, /Unicode normal form/);
    assert.equal((await place.bytes()).toString(), 'cafe\u0301\n');
  });

  test('characters that the file cannot hold', async (t) => {
    const place = await fileWith(t, iconv.encode('café au lait', 'latin1'));
    const { text, isError } = await place.edit('lait', '5 €');
    assert.ok(isError);
    assert.match(text, /ISO-8859-1, which cannot hold "€"/);
  });

  test('a binary file', async (t) => {
    const place = await fileWith(t, Buffer.from([1, 0, 0, 0, 65, 0, 0, 0]));
    assert.match((await place.edit('A', 'B')).text, /not a text file/);
  });

  test('an edit that changes nothing, before anything runs', async () => {
    const same = await Edit.validateInput?.({ file_path: 'a', old_string: 'x', new_string: 'x' });
    assert.equal(same?.ok, false);
    assert.deepEqual(await Edit.validateInput?.({ file_path: 'a', old_string: 'x', new_string: 'y' }), { ok: true });
  });
});

describe('a file that changed since it was read', () => {
  test('is edited where the text still stands exactly once, with a note, and stays unread', async (t) => {
    const place = await fileWith(t, 'a\nb\n');
    await writeFile(place.path, 'new line\na\nb\n');
    const { text, isError } = await place.edit('b', 'B');
    assert.equal(isError, false);
    assert.match(text, /had changed since it was read.*Read it again/);
    assert.equal((await place.bytes()).toString(), 'new line\na\nB\n');
    assert.match((await place.edit('a', 'A')).text, /had changed since it was read/);
  });

  test('is left alone where the text stands no more, more than once, or should be replaced everywhere', async (t) => {
    const place = await fileWith(t, 'a\nb\n');
    await writeFile(place.path, 'b\nb\n');
    assert.match((await place.edit('a', 'A')).text, /not found.*changed since it was read/);
    assert.match((await refusalOf(place.edit('b', 'B'))).message, /changed since it was read.*read it again/);
    assert.equal((await refusalOf(place.edit('b', 'B', true))).code, 'changed');
    assert.equal((await place.bytes()).toString(), 'b\nb\n');
    await place.see();
    assert.equal((await place.edit('b', 'B', true)).isError, false);
  });
});

describe('an empty old_string', () => {
  test('creates a missing file with its directories', async (t) => {
    const harness = await toolHarness(t);
    const { text } = await harness.call(Edit, { file_path: 'a/b.txt', old_string: '', new_string: 'new\n' });
    assert.equal(await readFile(join(harness.workspace, 'a/b.txt'), 'utf8'), 'new\n');
    assert.equal(text, 'Created a/b.txt.');
    await harness.call(Edit, { file_path: 'a/b.txt', old_string: 'new', new_string: 'newer' });
    assert.equal(await readFile(join(harness.workspace, 'a/b.txt'), 'utf8'), 'newer\n');
  });

  test('fills an empty file but never overwrites one that holds something', async (t) => {
    const place = await fileWith(t, '');
    assert.equal((await place.edit('', 'text')).isError, false);
    assert.equal((await refusalOf(place.edit('', 'other'))).code, 'exists');
    assert.equal((await place.bytes()).toString(), 'text');
  });
});

describe('Edit tells the service', () => {
  const context = {
    sessionId: 's',
    workspace: '/w',
    env: {},
    state: { cwd: '/w/src', mode: 'default', todos: [], loadedTools: [] },
  } as const;
  const input = { file_path: 'a.ts', old_string: 'x'.repeat(1000), new_string: '' };

  test('what it touches, by absolute path, and changes no input on the way', () => {
    const observed = { ...input };
    assert.deepEqual(Edit.permissionSubjects(input, context), [{ kind: 'path', access: 'write', path: '/w/src/a.ts' }]);
    assert.equal(Edit.backfillObservableInput?.(observed, context)['file_path'], '/w/src/a.ts');
    assert.equal(observed.file_path, 'a.ts');
  });

  test('that it writes, alone, to its end, and when it takes much away', () => {
    assert.deepEqual([Edit.isReadOnly(input), Edit.isConcurrencySafe(input), Edit.effect(input)], [false, false, 'probe']);
    assert.equal(Edit.interruptBehavior, 'finish');
    assert.equal(Edit.isDestructive(input), true);
    assert.equal(Edit.isDestructive({ ...input, new_string: 'y'.repeat(900) }), false);
    assert.equal(Edit.isDestructive({ ...input, old_string: 'x' }), false);
  });

  test('how to draw it, before and after', async (t) => {
    const place = await fileWith(t, 'a\nb\nc\n');
    const call = { file_path: 'file.txt', old_string: 'b', new_string: 'B' };
    const use = Edit.renderUse(call);
    assert.equal(use.title, 'Edit file.txt');
    assert.equal(use.body?.kind, 'diff');
    const { result } = await place.harness.call(Edit, call);
    const view = Edit.renderResult(call, result as Parameters<typeof Edit.renderResult>[1]);
    assert.ok(view.body?.kind === 'diff');
    assert.match(view.body.diff, / a\n-b\n\+B\n c\n/);
  });
});

toolSuite({
  tool: Edit,
  input: { file_path: 'a.txt', old_string: 'one', new_string: 'two', replace_all: false },
  furnish: (harness) => putKnownFile(harness, 'a.txt', 'one\n'),
});
