import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { test } from 'node:test';
import type { PermissionContext } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { empty, writeTree } from '../../test/search/write-tree.ts';
import Glob from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

interface Output {
  truncated: boolean;
}

test('Glob', async (t) => {
  const harness = await toolHarness(t);
  const { workspace, state } = harness;
  let trees = 0;

  /** A working directory of the test's own, with these files. */
  function inTree(files: Record<string, string>): string {
    trees += 1;
    const cwd = join(workspace, `tree-${trees}`);
    mkdirSync(cwd);
    writeTree(cwd, files);
    harness.state = { ...state, cwd };
    return cwd;
  }

  async function glob(pattern: string, path?: string): Promise<string> {
    return (await harness.call(Glob, { pattern, path })).text;
  }

  await t.test('Files come newest first, whatever their names', async () => {
    inTree(empty('m.ts', 'a.ts', 'z.ts'));
    assert.equal(await glob('*.ts'), 'm.ts\na.ts\nz.ts');
  });

  await t.test('A file from before 2001 comes after newer ones', async () => {
    const tree = inTree(empty('new.ts', 'old.ts'));
    utimesSync(join(tree, 'old.ts'), 499_162_500, 499_162_500);
    assert.equal(await glob('*'), 'new.ts\nold.ts');
  });

  await t.test('Files of the same time come by name', async () => {
    const tree = inTree(empty('c', 'a', 'b'));
    for (const name of ['a', 'b', 'c']) utimesSync(join(tree, name), 1_700_000_000, 1_700_000_000);
    assert.equal(await glob('*'), 'a\nb\nc');
  });

  await t.test('Patterns mean what they mean elsewhere', async () => {
    const files = [
      'a.ts',
      'b.js',
      'src/a.ts',
      'src/b.tsx',
      'src/deep/er/c.ts',
      'src/deep/x[1].ts',
      'test/a.ts',
      'test/unit/a.test.ts',
      'docs/é.md',
    ];
    inTree(empty(...files));
    const patterns = [
      '**/*.ts',
      'src/**/*.ts',
      'src/*.ts',
      'src/*/*/*.ts',
      '{src,test}/**/*.ts',
      '*/*.{ts,tsx}',
      '**/[a-b].*s',
      '**/[!a]*.ts',
      'src/**',
      '**/deep/**',
      'docs/?.md',
      'test/**/*.test.ts',
      '**/{unit,deep}/**/*.ts',
      'src/deep/er/c.ts',
      '**/*.nothing',
    ];
    for (const pattern of patterns) {
      const expected = files.filter((file) => matchesGlob(file, pattern));
      assert.equal(await glob(pattern), expected.join('\n') || 'No files found', pattern);
    }
  });

  await t.test('A pattern without a slash counts at any depth, and one that begins with ./ only at the top', async () => {
    inTree(empty('top.md', 'docs/a/deep.md'));
    assert.equal(await glob('*.md'), 'top.md\ndocs/a/deep.md');
    assert.equal(await glob('./*.md'), 'top.md');
    assert.equal(await glob('docs/'), 'docs/a/deep.md');
  });

  await t.test('.gitignore counts outside of a repository, whatever the pattern', async () => {
    inTree({
      '.gitignore': 'node_modules/\n*.log\n!keep.log\n',
      ...empty('a.ts', 'a.log', 'keep.log', 'node_modules/x.ts', 'sub/b.log'),
      'sub/.gitignore': 'secret.ts',
      ...empty('sub/secret.ts'),
    });
    assert.equal(await glob('**/*'), '.gitignore\na.ts\nkeep.log\nsub/.gitignore');
    assert.equal(await glob('**/*.log'), 'keep.log');
    assert.equal(await glob('**'), await glob('**/*'));
  });

  await t.test('A directory that is named is searched even when it is ignored', async () => {
    inTree({ '.gitignore': 'dist/\n', ...empty('dist/out.js') });
    assert.equal(await glob('dist/**/*.js'), 'dist/out.js');
    assert.equal(await glob('*.js', 'dist'), 'dist/out.js');
    assert.equal(await glob('*.js'), 'No files found');
  });

  await t.test('Hidden files are found, what is in .git is not', async () => {
    inTree(empty('.env', '.github/ci.yaml', '.git/config', 'sub/.git'));
    assert.equal(await glob('**/*'), '.env\n.github/ci.yaml');
  });

  await t.test('Links are not followed', async () => {
    const tree = inTree(empty('real/a.ts'));
    symlinkSync('/etc', join(tree, 'etc'));
    symlinkSync('real', join(tree, 'again'));
    assert.equal(await glob('**/*'), 'real/a.ts');
    await assert.rejects(glob('etc/*'), (error) => error instanceof FileError && error.code === 'outside');
  });

  await t.test('Names with a leading dash, a line end, quotes or a dollar sign are found and cannot pass for other lines', async () => {
    const names = ['-rf', '--pre=sh', 'a\nb', "it's", '$(touch x)', 'two  words'];
    inTree(empty(...names));
    assert.deepEqual((await glob('*')).split('\n'), ['-rf', '--pre=sh', '"a\\nb"', "it's", '$(touch x)', 'two  words']);
    assert.equal(await glob('--pre=*'), '--pre=sh');
    assert.equal(await glob("it's"), "it's");
    assert.equal(await glob('$(touch x)'), '$(touch x)');
  });

  await t.test('A name that begins with ! or # is a name, not an instruction', async () => {
    inTree(empty('!x', '#x', 'x'));
    assert.equal(await glob('!x'), '!x');
    assert.equal(await glob('#x'), '#x');
  });

  await t.test('An absolute pattern works inside the workspace and is refused outside', async () => {
    const tree = inTree(empty('src/a.ts', 'b.ts'));
    assert.equal(await glob(`${tree}/src/*.ts`), 'src/a.ts');
    for (const pattern of ['/etc/*', '../../*', 'src/../../../*', '/etc/passwd']) {
      await assert.rejects(glob(pattern), (error) => error instanceof FileError && error.code === 'outside', pattern);
    }
    assert.equal(await glob('src/../*.ts'), 'b.ts');
  });

  await t.test('Stepping back behind a wildcard is refused before anything runs', async () => {
    for (const pattern of ['*/../x', 'a/**/../../b', '..']) {
      assert.equal((await Glob.validateInput?.({ pattern }))?.ok, false, pattern);
    }
    assert.equal((await Glob.validateInput?.({ pattern: '../x/*' }))?.ok, true);
    assert.equal((await Glob.validateInput?.({ pattern: 'a\0b' }))?.ok, false);
  });

  await t.test('Paths are relative to the working directory when inside of it, else absolute', async () => {
    const tree = inTree(empty('pkg/src/a.ts', 'other/b.ts'));
    harness.state = { ...state, cwd: join(tree, 'pkg') };
    assert.equal(await glob('*.ts'), 'src/a.ts');
    assert.equal(await glob('*.ts', '../other'), join(tree, 'other/b.ts'));
  });

  await t.test('More than 100 files are cut, newest first, and the result says what to do', async () => {
    const many = inTree({});
    for (let index = 0; index < 3_000; index += 1) writeFileSync(join(many, `${index}.txt`), '');
    utimesSync(join(many, '77.txt'), 4_000_000_000, 4_000_000_000);
    const { text, result } = await harness.call(Glob, { pattern: '**/*.txt' });
    const lines = text.split('\n');
    assert.equal(lines.length, 101);
    assert.equal(lines[0], '77.txt');
    assert.match(lines.at(-1) ?? '', /100 newest.*there are more.*narrower/);
    assert.equal((result.output as Output).truncated, true);
  });

  await t.test('Exactly 100 files are not called cut', async () => {
    inTree(empty(...Array.from({ length: 100 }, (_, index) => `${index}.txt`)));
    const { text, result } = await harness.call(Glob, { pattern: '*.txt' });
    assert.equal(text.split('\n').length, 100);
    assert.equal((result.output as Output).truncated, false);
  });

  await t.test('No match is no error, and neither is a directory in the pattern that is not there', async () => {
    inTree(empty('a.ts'));
    for (const pattern of ['*.rs', 'nowhere/**', 'a.ts/*']) {
      const { text, result } = await harness.call(Glob, { pattern });
      assert.equal(text, 'No files found');
      assert.notEqual(result.isError, true);
    }
  });

  await t.test('A path that is not there, or is a file, is an error that names it', async () => {
    inTree(empty('a.ts'));
    await assert.rejects(glob('*', 'nowhere'), { message: 'nowhere does not exist. Find it with a search tool.' });
    await assert.rejects(glob('b/*', 'nowhere'), /nowhere/);
    await assert.rejects(glob('*', 'a.ts'), /^FileError: a\.ts is a file/);
  });

  await t.test('A pattern that is not closed is refused before anything runs, and says what to change', async () => {
    const said = async (pattern: string): Promise<string> => {
      const verdict = await Glob.validateInput?.({ pattern });
      return verdict?.ok === false ? verdict.message : '';
    };
    assert.match(await said('[a'), /^The glob "\[a" has a "\[" without "\]": close it, or write "\\\[" for the character itself\.$/);
    assert.match(await said('src/{a,b'), /has a "\{" without "\}"/);
    for (const pattern of ['[]', '[!]', '{a,{b}', '{'.repeat(1_000), 'a[b{c}']) assert.match(await said(pattern), /without/, pattern);
    assert.match(await said('[z-a]'), /^The range z-a in the glob "\[z-a\]" runs backwards/);
    for (const pattern of [String.raw`\[a`, String.raw`\{a,b`, '[]a]', '[!]a]', 'a}', 'a]', '{a,{b,c}}', '[{]', '[a-z-]', '{a,b}[cd]']) {
      assert.equal(await said(pattern), '', pattern);
    }
    inTree(empty('a{b', '[a'));
    assert.equal(await glob(String.raw`a\{b`), 'a{b');
    assert.equal(await glob(String.raw`\[a`), '[a');
  });

  await t.test('A pattern that only names a directory is told how to list what is in it', async () => {
    inTree(empty('src/deep/a.ts', 'b.ts'));
    assert.equal(await glob('src'), 'No files found. src is a directory: use src/** for the files in it.');
    assert.equal(await glob('src/deep'), 'No files found. src/deep is a directory: use src/deep/** for the files in it.');
    assert.equal(await glob('deep', 'src'), 'No files found. deep is a directory: use deep/** for the files in it.');
    assert.equal(await glob('src/'), 'src/deep/a.ts');
    assert.equal(await glob('nothing'), 'No files found');
  });

  await t.test('Patterns made to be slow end at once', async () => {
    inTree(empty(`${'a'.repeat(200)}.ts`));
    for (const pattern of ['{a,b}'.repeat(200), `${'**/'.repeat(333)}x`, `${'*a'.repeat(450)}b`]) {
      assert.equal(await glob(pattern), 'No files found', pattern.slice(0, 20));
    }
    assert.equal(inputValidator(Glob as never)({ pattern: 'x'.repeat(1_001) }).ok, false);
  });

  await t.test('An aborted search gives no files', async () => {
    inTree(empty('a.ts'));
    const { text, result } = await harness.call(Glob, { pattern: '*' }, { signal: AbortSignal.abort() });
    assert.equal(result.isError, true);
    assert.match(text, /stopped/);
  });

  await t.test('Rules judge the directory that is searched, and observers see it as an absolute path', () => {
    const context = { state: { cwd: '/w/pkg' } } as PermissionContext;
    const subject = (pattern: string, path?: string): unknown => Glob.permissionSubjects({ pattern, path }, context);
    assert.deepEqual(subject('*.ts'), [{ kind: 'path', access: 'read', path: '/w/pkg' }]);
    assert.deepEqual(subject('src/**/*.ts', '..'), [{ kind: 'path', access: 'read', path: '/w/src' }]);
    assert.deepEqual(subject('/etc/*'), [{ kind: 'path', access: 'read', path: '/etc' }]);
    const input = { pattern: '*', path: 'src' };
    assert.deepEqual(Glob.backfillObservableInput?.(input, context), { pattern: '*', path: '/w/pkg/src' });
    assert.deepEqual(input, { pattern: '*', path: 'src' });
  });

  await t.test('Only reads, may run beside others, and may run again', () => {
    assert.equal(Glob.isReadOnly({ pattern: '*' }), true);
    assert.equal(Glob.isConcurrencySafe({ pattern: '*' }), true);
    assert.equal(Glob.effect({ pattern: '*' }), 'read');
  });

  await t.test('The view of a result is a folded list', () => {
    const view = Glob.renderResult({ pattern: '*' }, { content: 'a\nb', output: { files: ['a', 'b'], truncated: true } });
    assert.deepEqual(view, { title: 'Glob', subtitle: '* (2+)', body: { kind: 'list', items: ['a', 'b'] }, collapsed: true });
  });
});

toolSuite({
  tool: Glob,
  input: { pattern: '*.ts' },
  furnish: async ({ workspace }) => writeFileSync(join(workspace, 'a.ts'), 'one\n'),
});
