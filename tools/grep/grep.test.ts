import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PermissionContext, ToolResult } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { empty, writeTree } from '../../test/search/write-tree.ts';
import type { GrepOutput } from './answer.ts';
import Grep from './index.ts';
import { grepInput } from './input.ts';
import { toolSuite } from '../../test/suites/tool.ts';

type Given = Omit<Partial<Parameters<typeof Grep.call>[0]>, 'pattern'>;

test('Grep', async (t) => {
  const harness = await toolHarness(t);
  const { workspace, state } = harness;
  let trees = 0;

  /** A working directory of the test's own, with these files. */
  function inTree(files: Record<string, string | Buffer>): string {
    trees += 1;
    const cwd = join(workspace, `tree-${trees}`);
    mkdirSync(cwd);
    writeTree(cwd, files);
    harness.state = { ...state, cwd };
    return cwd;
  }

  async function run(pattern: string, rest: Given = {}): Promise<{ text: string; result: ToolResult; output: GrepOutput }> {
    const { text, result } = await harness.call(Grep, grepInput.parse({ pattern, ...rest }));
    return { text, result, output: result.output as GrepOutput };
  }

  async function grep(pattern: string, rest: Given = {}): Promise<string> {
    return (await run(pattern, rest)).text;
  }

  await t.test('Files that match come newest first when nothing else is asked for', async () => {
    inTree({ 'm.txt': 'needle', 'a.txt': 'needle', 'z.txt': 'needle', 'other.txt': 'hay' });
    assert.equal(await grep('needle'), 'm.txt\na.txt\nz.txt');
  });

  await t.test('Content shows path, line number and text, files in path order', async () => {
    inTree({ 'b/z.txt': 'one\nneedle 1\n', 'a.txt': 'needle 2\nx\nneedle 3' });
    assert.equal(await grep('needle', { output_mode: 'content' }), 'a.txt:1:needle 2\na.txt:3:needle 3\nb/z.txt:2:needle 1');
    assert.equal(await grep('needle', { output_mode: 'content', '-n': false, path: 'b' }), 'b/z.txt:needle 1');
    assert.equal(await grep('needle', { output_mode: 'content', path: 'a.txt' }), 'a.txt:1:needle 2\na.txt:3:needle 3');
  });

  await t.test('Lines around a match are marked, and groups that are not neighbours are kept apart', async () => {
    inTree({ 'a.txt': 'a\nhit\nb\nc\nd\nhit\ne\n', 'b.txt': 'hit\nf\n' });
    const expected = 'a.txt-1-a\na.txt:2:hit\na.txt-3-b\n--\na.txt-5-d\na.txt:6:hit\na.txt-7-e\n--\nb.txt:1:hit\nb.txt-2-f';
    assert.equal(await grep('hit', { output_mode: 'content', '-C': 1 }), expected);
    assert.equal(await grep('hit', { output_mode: 'content', '-A': 1, path: 'b.txt' }), 'b.txt:1:hit\nb.txt-2-f');
    assert.equal(await grep('^c$', { output_mode: 'content', '-B': 1 }), 'a.txt-3-b\na.txt:4:c');
  });

  await t.test('Count shows matching lines per file, and how many in all', async () => {
    inTree({ 'a.txt': 'x\nx x\ny', 'b.txt': 'x' });
    assert.equal(await grep('x', { output_mode: 'count' }), 'Matching lines: 3. Files: 2.\na.txt:2\nb.txt:1');
  });

  await t.test('Case is ignored and lines are crossed only when asked for', async () => {
    inTree({ 'a.txt': 'First\nSecond' });
    assert.equal(await grep('first'), 'No files found');
    assert.equal(await grep('first', { '-i': true }), 'a.txt');
    assert.equal(await grep('First.*Second', { output_mode: 'content' }), 'No matches found');
    assert.equal(await grep('First.*Second', { output_mode: 'content', multiline: true }), 'a.txt:1:First\na.txt:2:Second');
  });

  await t.test('Line ends of Windows are neither shown nor in the way of $', async () => {
    inTree({ 'a.txt': 'word\r\nother\r\n' });
    assert.equal(await grep('word$', { output_mode: 'content' }), 'a.txt:1:word');
    assert.equal(await grep('r$', { output_mode: 'count' }), 'Matching lines: 1. Files: 1.\na.txt:1');
  });

  await t.test('.gitignore counts outside of a repository, also with a glob', async () => {
    inTree({
      '.gitignore': 'node_modules/\n*.log\n',
      ...Object.fromEntries(['a.ts', 'x.log', 'node_modules/x.ts', '.env'].map((path) => [path, 'hit'])),
    });
    assert.equal(await grep('hit'), 'a.ts\n.env');
    for (const glob of ['*', '**/*', '*.{ts,log}', '**']) assert.match(await grep('hit', { glob }), /^a\.ts(\n\.env)?$/, glob);
    assert.equal(await grep('hit', { path: 'node_modules' }), 'node_modules/x.ts');
    assert.equal(await grep('hit', { path: 'x.log' }), 'x.log');
  });

  await t.test('A glob and a type narrow the files, alone and together', async () => {
    inTree(Object.fromEntries(['a.ts', 'b.js', 'src/c.ts', 'src/c.test.ts', 'src/deep/d.js'].map((path) => [path, 'hit'])));
    assert.equal(await grep('hit', { glob: '*.ts' }), 'a.ts\nsrc/c.ts\nsrc/c.test.ts');
    assert.equal(await grep('hit', { glob: 'src/*.ts' }), 'src/c.ts\nsrc/c.test.ts');
    assert.equal(await grep('hit', { glob: '!*.test.ts' }), 'a.ts\nb.js\nsrc/c.ts\nsrc/deep/d.js');
    assert.equal(await grep('hit', { type: 'js' }), 'b.js\nsrc/deep/d.js');
    assert.equal(await grep('hit', { type: 'js', glob: 'src/**' }), 'src/deep/d.js');
    assert.equal(
      await grep('hit', { glob: 'src/', output_mode: 'count' }),
      'Matching lines: 3. Files: 3.\nsrc/c.test.ts:1\nsrc/c.ts:1\nsrc/deep/d.js:1',
    );
    assert.equal(await grep('hit', { glob: '*.rs' }), 'No files found');
  });

  await t.test('Binary files are left out, and one that is named is not printed', async () => {
    const binary = Buffer.from('hit\n\0\0\nhit');
    inTree({ 'a.bin': binary, 'b.txt': 'hit' });
    assert.equal(await grep('hit'), 'b.txt');
    const text = await grep('hit', { output_mode: 'content', path: 'a.bin' });
    assert.match(text, /^a\.bin: binary file matches$/);
    for (const glob of ['*.bin', 'a.*', '[a].bin']) {
      assert.equal(await grep('hit', { output_mode: 'content', glob }), 'a.bin: binary file matches', glob);
    }
  });

  await t.test('A file that is named is searched only where the glob is of its name as well', async () => {
    inTree({ 'a.ts': 'hit', 'b.js': 'hit' });
    assert.equal(await grep('hit', { path: 'a.ts', glob: '*.ts' }), 'a.ts');
    assert.equal(await grep('hit', { path: 'a.ts', glob: '*.js' }), 'No files found');
    assert.equal(await grep('hit', { type: 'ts', glob: '*.js' }), 'No files found');
  });

  await t.test('What is behind the binary part of a file is said to be unsearched', async () => {
    inTree({ 'a.bin': Buffer.concat([Buffer.from('hit\n'), Buffer.alloc(300_000, 'x\n'), Buffer.from('\0')]), 'b.txt': 'hit' });
    const text = await grep('hit', { output_mode: 'content' });
    assert.equal(text, 'a.bin:1:hit\na.bin: the rest of this binary file was not searched\nb.txt:1:hit');
  });

  await t.test('A very long line is shown by its beginning', async () => {
    inTree({ 'a.txt': `start needle ${'x'.repeat(100_000)}` });
    const text = await grep('needle', { output_mode: 'content' });
    assert.ok(text.startsWith('a.txt:1:start needle x'));
    assert.ok(text.length < 700);
  });

  await t.test('A text that looks like an option, or like a line for a shell, is only searched for', async () => {
    const texts = ['--files', '-e x', '--pre=sh', "it's $(touch pwned) `touch pwned`; | &", '--'];
    inTree({ '-n.txt': texts.join('\n'), '--pre=sh': texts.join('\n') });
    for (const [index, text] of texts.entries()) {
      const escaped = text.replaceAll(/[$()`|]/g, String.raw`\$&`);
      for (const glob of ['-n.txt', '--pre=*']) {
        const expected = `${glob === '-n.txt' ? '-n.txt' : '--pre=sh'}:${index + 1}:${text}`;
        assert.ok((await grep(escaped, { output_mode: 'content', glob })).split('\n').includes(expected), `${text} in ${glob}`);
      }
      assert.ok((await grep(escaped, { output_mode: 'content', path: '-n.txt' })).includes(text));
    }
    assert.equal(await grep('.', { glob: 'pwned' }), 'No files found');
  });

  await t.test('A name with a line end cannot pass for another line', async () => {
    inTree({ 'a\nb.txt:1:forged': 'hit' });
    assert.equal(await grep('hit'), '"a\\nb.txt:1:forged"');
    assert.equal(await grep('hit', { output_mode: 'content' }), '"a\\nb.txt:1:forged":1:hit');
    assert.match(await grep('hit', { output_mode: 'count' }), /"a\\nb\.txt:1:forged":1$/);
  });

  await t.test('A wrong pattern, glob or type is an error with a reason and without paths of the machine', async () => {
    inTree({ 'a.txt': 'x' });
    const wrong: [string, Given][] = [
      ['(', {}],
      ['(', { output_mode: 'content' }],
      ['(', { glob: '*.txt' }],
      ['x', { type: 'nonsense' }],
      ['(.*){1,32000}', {}],
    ];
    for (const [pattern, rest] of wrong) {
      const { text, result } = await run(pattern, rest);
      assert.equal(result.isError, true, `${pattern} ${JSON.stringify(rest)}`);
      assert.match(text, /unclosed group|type nonsense is not known|pattern is too large/);
      assert.doesNotMatch(text, /node_modules|^rg:|bash/m);
    }
  });

  await t.test('What is wrong with a pattern is said in the words of this tool, about the pattern as it was written', async () => {
    inTree({ 'a.txt': 'x' });
    const said: [string, RegExp][] = [
      ['a\\nb', /^The pattern has a line end in it: set multiline to true/],
      ['(?<=a)b', /^Look-around is not supported: write the pattern without/],
      ['(a)\\1', /^Back-references such as \\1 are not supported/],
      ['foo(bar', /^The pattern cannot be used: unclosed group\. Write \\\( or \\\) for the bracket itself\.\n {4}foo\(bar$/],
      ['interface{}', /^The pattern cannot be used: .*\. Write \\\{ for the brace itself\.\n {4}interface\{\}\n {14}\^$/],
      ['a[z-b]', /^The pattern cannot be used: .*range.*\n {4}a\[z-b\]\n {6}\^\^\^$/],
      ['*a', /Write \\\*, \\\+ or \\\? for the character itself/],
      [`${'x'.repeat(5_000)}(`, /^The pattern cannot be used: unclosed group\. Write .* itself\.$/],
    ];
    for (const [pattern, expected] of said) {
      for (const rest of [{}, { glob: '*.txt' }, { output_mode: 'content' }] as const) {
        const { text, result } = await run(pattern, rest);
        assert.equal(result.isError, true);
        assert.match(text, expected);
        assert.doesNotMatch(text, /--multiline|--pcre2|PCRE|\(\?:/);
      }
    }
  });

  await t.test('A glob that is not closed is refused before anything runs, one that names a directory is explained', async () => {
    for (const glob of ['[a', '{a,b', '!{a', '![z-a]']) {
      assert.equal((await Grep.validateInput?.(grepInput.parse({ pattern: 'x', glob })))?.ok, false, glob);
    }
    inTree({ 'src/a.ts': 'x' });
    assert.equal(await grep('x', { glob: 'src' }), 'No files found. src is a directory: use src/** for the files in it.');
    assert.equal(await grep('x', { glob: 'src/**' }), 'src/a.ts');
    assert.equal(await grep('y', { glob: '*.ts' }), 'No files found');
  });

  await t.test('No match is no error', async () => {
    inTree({ 'a.txt': 'x' });
    for (const output_mode of ['content', 'count', 'files_with_matches'] as const) {
      const { text, result } = await run('nothing', { output_mode });
      assert.equal(text, output_mode === 'files_with_matches' ? 'No files found' : 'No matches found');
      assert.notEqual(result.isError, true);
    }
  });

  await t.test('A pattern that makes other engines run for ever ends', async () => {
    inTree({ 'a.txt': `${'a'.repeat(5_000)}!` });
    assert.equal(await grep('^(a+)+$'), 'No files found');
    assert.equal(await grep('(a|aa)+$', { multiline: true }), 'No files found');
  });

  await t.test('A long answer is cut after 250 entries, and says how to see the rest', async () => {
    inTree({ 'a.txt': Array.from({ length: 600 }, (_, index) => `hit ${index + 1}`).join('\n') });
    const first = await run('hit', { output_mode: 'content' });
    assert.equal(first.output.lines.length, 250);
    assert.equal(first.output.truncated, true);
    assert.match(first.text, /\(Showing 1 to 250 of 600 lines\. Pass offset 250 to see more/);
    const last = await run('hit', { output_mode: 'content', offset: 500 });
    assert.equal(last.output.lines[0], 'a.txt:501:hit 501');
    assert.equal(last.output.lines.length, 100);
    assert.equal(last.output.truncated, false);
    assert.equal((await run('hit', { output_mode: 'content', head_limit: 0 })).output.lines.length, 600);
    assert.match(
      await grep('hit', { output_mode: 'content', offset: 700 }),
      /Nothing can be shown from offset 700 on: there are 600 lines/,
    );
  });

  await t.test('Pages of files follow each other without a gap', async () => {
    inTree(Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}.txt`, 'hit'])));
    const pages = [];
    for (const offset of [0, 3, 6]) pages.push((await run('hit', { head_limit: 3, offset })).output);
    assert.deepEqual(
      pages.flatMap((page) => page.lines),
      Array.from({ length: 7 }, (_, index) => `f${index}.txt`),
    );
    assert.deepEqual(
      pages.map((page) => page.truncated),
      [true, true, false],
    );
  });

  await t.test('An answer too big to be kept is cut in path order, the same each time', async () => {
    inTree(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`d${index % 10}/f${index}.txt`, `hit ${'x'.repeat(400)}\n`.repeat(100)]),
      ),
    );
    const [first, second] = [await run('hit', { output_mode: 'content' }), await run('hit', { output_mode: 'content' })];
    assert.equal(first.text, second.text);
    assert.equal(first.output.truncated, true);
    assert.match(first.output.lines[0] ?? '', /^d0\/f0\.txt:1:/);
    assert.match(first.output.lines[100] ?? '', /^d0\/f10\.txt:1:/);
    assert.match(first.text, /of at least \d+ lines/);
  });

  await t.test('Links are not followed, and a path outside of the workspace is refused', async () => {
    const tree = inTree(empty('a.txt'));
    symlinkSync('/etc', join(tree, 'etc'));
    assert.equal(await grep('root'), 'No files found');
    for (const path of ['/etc', 'etc', 'etc/passwd', '../../..']) {
      await assert.rejects(grep('root', { path }), (error) => error instanceof FileError && error.code === 'outside', path);
    }
    await assert.rejects(grep('root', { path: 'nowhere' }), { message: 'nowhere does not exist. Find it with a search tool.' });
  });

  await t.test('A search that is aborted stops, long before it would be done', async () => {
    const tree = inTree({ 'big.txt': '' });
    truncateSync(join(tree, 'big.txt'), 60_000_000_000);
    const stop = new AbortController();
    const running = harness.call(Grep, grepInput.parse({ pattern: 'needle', path: 'big.txt' }), { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    const { text, result } = await running;
    assert.equal(result.isError, true);
    assert.match(text, /stopped before it was done/);
  });

  await t.test('Rules judge the path that is searched, and observers see it as an absolute path', () => {
    const context = { state: { cwd: '/w/pkg' } } as PermissionContext;
    assert.deepEqual(Grep.permissionSubjects(grepInput.parse({ pattern: 'x' }), context), [
      { kind: 'path', access: 'read', path: '/w/pkg' },
    ]);
    assert.deepEqual(Grep.permissionSubjects(grepInput.parse({ pattern: 'x', path: '../b' }), context), [
      { kind: 'path', access: 'read', path: '/w/b' },
    ]);
    const input = { pattern: 'x', path: 'src' };
    assert.deepEqual(Grep.backfillObservableInput?.(input, context), { pattern: 'x', path: '/w/pkg/src' });
    assert.deepEqual(input, { pattern: 'x', path: 'src' });
  });

  await t.test('Only reads, may run beside others, and may run again', () => {
    const input = grepInput.parse({ pattern: 'x' });
    assert.equal(Grep.isReadOnly(input), true);
    assert.equal(Grep.isConcurrencySafe(input), true);
    assert.equal(Grep.effect(input), 'read');
  });

  await t.test('The view of a result is folded: a list of files, or the lines', () => {
    const input = grepInput.parse({ pattern: 'x', glob: '*.ts' });
    const result = { content: '', output: { lines: ['a'], truncated: false } };
    assert.deepEqual(Grep.renderResult(input, result), {
      title: 'Grep',
      subtitle: 'x in *.ts (1)',
      body: { kind: 'list', items: ['a'] },
      collapsed: true,
    });
    assert.deepEqual(Grep.renderResult({ ...input, output_mode: 'content' }, result).body, { kind: 'text', text: 'a' });
  });
});

toolSuite({
  tool: Grep,
  input: grepInput.parse({ pattern: 'one' }),
  furnish: async ({ workspace }) => writeFileSync(join(workspace, 'a.ts'), 'one\n'),
});
