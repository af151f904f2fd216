import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import iconv from 'iconv-lite';
import type { ToolHarness } from '../../test/support/tool-harness.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { refusalOf } from '../../test/workspace/support/refusal.ts';
import Read from './index.ts';
import type { ReadInput } from './read-file.ts';
import { toolSuite } from '../../test/suites/tool.ts';

interface Place {
  readonly harness: ToolHarness;
  readonly path: string;
  read(range?: Omit<ReadInput, 'file_path'>): Promise<string>;
}

async function fileWith(t: TestContext, content: string | Buffer, name = 'file.txt'): Promise<Place> {
  const harness = await toolHarness(t);
  const path = join(harness.workspace, name);
  await writeFile(path, content);
  return { harness, path, read: async (range = {}) => (await harness.call(Read, { file_path: name, ...range })).text };
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
}

describe('Read shows text', () => {
  test('as number, tab and text, and nothing else when that is all', async (t) => {
    const place = await fileWith(t, 'one\n\tthree\n\n');
    assert.equal(await place.read(), '1\tone\n2\t\tthree\n3\t');
    assert.equal(place.harness.files.remembered(place.path)?.whole, true);
  });

  test('whatever ends its lines', async (t) => {
    for (const [content, shown] of [
      ['a\r\nb\r\n', '1\ta\n2\tb'],
      ['a\rb\r', '1\ta\n2\tb'],
      ['a\rb\nc', '1\ta\rb\n2\tc'],
      ['a\nb', '1\ta\n2\tb'],
      ['\n', '1\t'],
    ] as const) {
      assert.equal(await (await fileWith(t, content)).read(), shown);
    }
  });

  test('2,000 lines at first, and says how to read on', async (t) => {
    const place = await fileWith(t, lines(2005));
    const text = await place.read();
    assert.match(text, /\n2000\tline 2000\n\n\[Partial: these are lines 1 to 2,000 of 2,005\. Read on with offset 2001\.\]$/);
    assert.equal(place.harness.files.remembered(place.path)?.whole, false);
    assert.match(
      await place.read({ offset: 2001 }),
      /^2001\tline 2001\n[^]*\n2005\tline 2005\n\n\[Partial: these are lines 2,001 to 2,005 of 2,005\.\]$/,
    );
  });

  test('from an offset for as many lines as asked', async (t) => {
    const place = await fileWith(t, lines(10));
    assert.match(await place.read({ offset: 3, limit: 2 }), /^3\tline 3\n4\tline 4\n\n\[Partial: these are lines 3 to 4 of 10/);
    assert.equal(
      await place.read({ offset: 0, limit: 10 }),
      lines(10)
        .trimEnd()
        .replaceAll(/line (\d+)/g, '$1\tline $1'),
    );
  });

  test('with long lines cut, never inside a character', async (t) => {
    const place = await fileWith(t, `${'x'.repeat(1999)}🎉tail\nshort\n`);
    assert.equal(await place.read(), `1\t${'x'.repeat(1999)}… [line cut after 2,000 characters]\n2\tshort`);
    assert.equal(place.harness.files.remembered(place.path)?.whole, false);
  });

  test('up to a limit on the whole result, and says where to go on', async (t) => {
    const place = await fileWith(t, `${'y'.repeat(1500)}\n`.repeat(300));
    const text = await place.read();
    assert.ok(text.length < 101_000);
    const [, next] = /of 300\. Read on with offset (\d+)\.\]$/.exec(text) ?? assert.fail(text.slice(-200));
    assert.match(await place.read({ offset: Number(next), limit: 1 }), new RegExp(`^${next}\ty`));
  });

  test('and says so when it is empty, or the offset is past its end', async (t) => {
    assert.match(await (await fileWith(t, '')).read(), /exists but is empty/);
    assert.match(await (await fileWith(t, '\uFEFF')).read(), /exists but is empty/);
    const place = await fileWith(t, 'a\nb\n');
    assert.match(await place.read({ offset: 3 }), /Offset 3 is past the end: the file has 2 lines/);
    assert.equal(place.harness.files.remembered(place.path), undefined, 'nothing was shown, so nothing was read');
  });

  for (const [encoding, addBOM, name] of [
    ['utf16le', true, 'UTF-16 LE'],
    ['utf16be', true, 'UTF-16 BE'],
    ['utf16le', false, 'UTF-16 LE without BOM'],
    ['utf16be', false, 'UTF-16 BE without BOM'],
    ['latin1', false, 'ISO-8859-1'],
  ] as const) {
    test(`decoded from ${name}`, async (t) => {
      const place = await fileWith(t, iconv.encode('Grüße\r\naus Köln\r\n', encoding, { addBOM }));
      assert.equal(await place.read(), `1\tGrüße\n2\taus Köln\n\n[The file is in ${name}.]`);
    });
  }

  test('without its byte order mark, and with a note on damaged places', async (t) => {
    assert.equal(await (await fileWith(t, '\uFEFFé')).read(), '1\té');
    const damaged = await fileWith(t, Buffer.concat([Buffer.from('äöüßäöüßäöüß'), Buffer.from([0xff])]));
    assert.match(await damaged.read(), /^1\täöüßäöüßäöüß\uFFFD\n\n\[The file holds bytes that are not valid UTF-8/);
  });

  test('that only looks like another format by its first words', async (t) => {
    assert.match(await (await fileWith(t, '%!PS-Adobe-3.0\n')).read(), /^1\t%!PS/);
    assert.match(await (await fileWith(t, iconv.encode('<?xml version="1.0"?><a>é</a>', 'latin1'))).read(), /<a>é<\/a>/);
  });
});

describe('a huge file', () => {
  /** A sparse file of 1 GiB with text at its start and its end. */
  async function hugeFile(t: TestContext, start: string, end: string): Promise<Place> {
    const place = await fileWith(t, start);
    const handle = await open(place.path, 'r+');
    await handle.write(end, 2 ** 30 - Buffer.byteLength(end));
    await handle.close();
    return place;
  }

  test('is shown by its first lines, with little memory', async (t) => {
    const place = await hugeFile(t, lines(20_000), 'end');
    const before = process.memoryUsage().rss;
    assert.match(
      await place.read({ offset: 2, limit: 2 }),
      /^2\tline 2\n3\tline 3\n\n\[Partial: these are lines 2 to 3\. Read on with offset 4\.\]$/,
    );
    assert.ok(process.memoryUsage().rss - before < 200 * 2 ** 20);
  });

  test('is streamed to a line far inside', async (t) => {
    const place = await fileWith(t, 'é 2345678\n'.repeat(1_200_000));
    assert.match(await place.read({ offset: 1_100_000, limit: 1 }), /^1100000\té 2345678\n\n\[Partial/);
    assert.match(await place.read({ offset: 2_000_000 }), /has 1,200,000 lines/);
  });

  test('in UTF-16 is streamed by whole characters', async (t) => {
    const place = await fileWith(t, iconv.encode('Ċ 日本\n'.repeat(900_000), 'utf16le', { addBOM: true }));
    assert.match(await place.read({ offset: 899_999 }), /^899999\tĊ 日本\n900000\tĊ 日本\n/);
  });

  test('that is one line is cut after its beginning', async (t) => {
    const place = await fileWith(t, 'z'.repeat(9 * 2 ** 20));
    assert.equal(await place.read(), `1\t${'z'.repeat(2000)}… [line cut after 2,000 characters]`);
  });

  test('is left alone when the call is stopped', async (t) => {
    const place = await hugeFile(t, lines(20_000), 'end');
    const call = place.harness.call(Read, { file_path: place.path }, { signal: AbortSignal.abort() });
    assert.match((await refusalOf(call)).message, /stopped/);
    assert.equal(place.harness.files.remembered(place.path), undefined);
  });
});

describe('Read refuses', () => {
  test('what is not there, not a file, or outside', async (t) => {
    const { harness } = await fileWith(t, '');
    await mkdir(join(harness.workspace, 'directory'));
    execFileSync('mkfifo', [join(harness.workspace, 'pipe')]);
    await symlink('/dev/zero', join(harness.workspace, 'device'));
    const codeOf = async (file_path: string): Promise<string> => (await refusalOf(harness.call(Read, { file_path }))).code;
    assert.deepEqual(await Promise.all(['missing', 'directory', 'pipe', 'device', '../x', '/dev/zero', '/etc/passwd'].map(codeOf)), [
      'not_found',
      'not_a_file',
      'not_a_file',
      'outside',
      'outside',
      'outside',
      'outside',
    ]);
  });

  test('what is not there, and names what is like it, or how to find it', async (t) => {
    const { harness } = await fileWith(t, '', 'config.ts');
    await mkdir(join(harness.workspace, 'src'));
    const said = async (file_path: string): Promise<string> => (await refusalOf(harness.call(Read, { file_path }))).message;
    assert.equal(await said('confg.ts'), 'confg.ts does not exist. Did you mean config.ts instead of confg.ts?');
    assert.equal(await said('Config.ts'), 'Config.ts does not exist. Did you mean config.ts instead of Config.ts?');
    assert.equal(await said('srcs/a/b.ts'), 'srcs/a/b.ts does not exist. Did you mean src instead of srcs?');
    assert.equal(await said('zzz.md'), 'zzz.md does not exist. Find it with a search tool.');
    assert.equal(await said(join(harness.workspace, 'zzz.md')), 'zzz.md does not exist. Find it with a search tool.');
    await writeFile(join(harness.workspace, '..', 'near.ts'), '');
    assert.doesNotMatch(await said('../neer.ts'), /near\.ts/, 'nothing is told of what is outside');
  });

  test('in messages that name a file as the model does', async (t) => {
    const { harness } = await fileWith(t, Buffer.from([1, 0, 0, 0]), 'src.bin');
    await mkdir(join(harness.workspace, 'src'));
    harness.state = { ...harness.state, cwd: join(harness.workspace, 'src') };
    await writeFile(join(harness.workspace, 'src/a.bin'), Buffer.from([1, 0, 0, 0]));
    const said = async (file_path: string): Promise<string> => (await refusalOf(harness.call(Read, { file_path }))).message;
    assert.match(await said('a.bin'), /^a\.bin is a binary file/);
    assert.match(await said('.'), /^\. is a directory/);
    assert.ok((await said('../src.bin')).startsWith(`${harness.workspace}/src.bin is a binary file`));
    assert.match(await said('/etc/passwd'), /^\/etc\/passwd is outside/);
  });

  test('pages of a file that has none', async (t) => {
    const place = await fileWith(t, 'one\n');
    assert.match((await refusalOf(place.read({ pages: '1' }))).message, /^file\.txt is not a PDF and has no pages: leave pages out/);
  });

  test('a binary file, and names what it is', async (t) => {
    const zip = await fileWith(t, Buffer.from('504b030414000000080000002100', 'hex'), 'a.zip');
    assert.match((await refusalOf(zip.read())).message, /a\.zip is a binary file \(application\/zip\)/);
    const unknown = await fileWith(t, Buffer.from([1, 0, 0, 0, 2, 0, 0, 0]), 'data.bin');
    assert.match((await refusalOf(unknown.read())).message, /binary file \(unknown type\)/);
    const late = await fileWith(t, `${'text\n'.repeat(20_000)}\0`);
    assert.match((await refusalOf(late.read())).message, /holds NUL bytes/);
    assert.equal(late.harness.files.remembered(late.path), undefined);
  });

  test('pages that are no pages, before anything runs', async () => {
    for (const pages of ['0', 'x', '5-3', '1,2', '-3', ''])
      assert.equal((await Read.validateInput?.({ file_path: 'a', pages }))?.ok, false, pages);
    for (const pages of ['1', '1-5', '7-', ' 2 - 3 '])
      assert.equal((await Read.validateInput?.({ file_path: 'a', pages }))?.ok, true, pages);
  });
});

describe('a second read of the same range', () => {
  test('answers that nothing has changed', async (t) => {
    const place = await fileWith(t, lines(30));
    await place.read();
    for (const range of [{}, { offset: 1 }, { limit: 2000 }, { offset: 0 }]) assert.match(await place.read(range), /^Unchanged/);
  });

  test('shows the file when it has changed, also where time and size are the same', async (t) => {
    const place = await fileWith(t, 'one');
    await place.read();
    await writeFile(place.path, 'two');
    assert.equal(await place.read(), '1\ttwo');
  });

  test('shows the file when the range is another, or the session wrote it in between', async (t) => {
    const place = await fileWith(t, 'a\nb\n');
    await place.read();
    assert.match(await place.read({ offset: 2 }), /^2\tb/);
    assert.match(await place.read(), /^1\ta/);
    const { files } = place.harness;
    const seen = files.remembered(place.path) ?? assert.fail('not remembered');
    const written = await files.write({ path: place.path, bytes: Buffer.from('a\nb\n'), expectedHash: seen.hash });
    files.remember(written.path, { ...written, whole: true });
    assert.match(await place.read(), /^1\ta/);
  });

  test('through a link counts as the same file', async (t) => {
    const place = await fileWith(t, 'text');
    await symlink('file.txt', join(place.harness.workspace, 'link'));
    await place.read();
    assert.match((await place.harness.call(Read, { file_path: 'link' })).text, /^Unchanged/);
  });
});

test('Read opens the outputs of the session, and goes by its working directory', async (t) => {
  const { harness } = await fileWith(t, '');
  await writeFile(join(harness.outputs, 'call.txt'), 'spilled');
  assert.equal((await harness.call(Read, { file_path: join(harness.outputs, 'call.txt') })).text, '1\tspilled');
  await mkdir(join(harness.workspace, 'src'));
  await writeFile(join(harness.workspace, 'src/a.ts'), 'code');
  harness.state = { ...harness.state, cwd: join(harness.workspace, 'src') };
  assert.equal((await harness.call(Read, { file_path: 'a.ts' })).text, '1\tcode');
});

test('Read tells the service what it touches and does', () => {
  const context = {
    sessionId: 's',
    workspace: '/w',
    env: {},
    state: { cwd: '/w/src', mode: 'default', todos: [], loadedTools: [] },
  } as const;
  const input = { file_path: 'a.ts' };
  assert.deepEqual(Read.permissionSubjects(input, context), [{ kind: 'path', access: 'read', path: '/w/src/a.ts' }]);
  assert.equal(Read.backfillObservableInput?.({ ...input }, context)['file_path'], '/w/src/a.ts');
  assert.deepEqual([Read.isReadOnly(input), Read.isConcurrencySafe(input), Read.isDestructive(input)], [true, true, false]);
  assert.equal(Read.effect(input), 'read');
  assert.equal(Read.renderUse({ file_path: 'src/a.ts' }).title, 'Read src/a.ts');
  assert.equal(Read.renderUse({ file_path: 'src/a.ts', offset: 5, limit: 10 }).title, 'Read src/a.ts (5-14)');
});

toolSuite({
  tool: Read,
  input: { file_path: 'a.txt' },
  furnish: ({ workspace }) => writeFile(join(workspace, 'a.txt'), 'one\ntwo\n'),
});
