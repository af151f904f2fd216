// Lines that once passed though they write, run or tell what they should not, and their neighbours that only read.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { linesThatWrite } from './throw-away.ts';

function mayWrite(...lines: string[]): void {
  for (const line of lines) assert.equal(isReadOnlyCommand(line), false, line);
}

/** Judged to only read, and seen to when run. */
async function read(...lines: string[]): Promise<void> {
  for (const line of lines) assert.equal(isReadOnlyCommand(line), true, line);
  assert.deepEqual(await linesThatWrite(lines), []);
}

describe('a line may write', { concurrency: true }, () => {
  test('when git drops the `--` in front of an option, or reads options again behind a second', async () => {
    mayWrite('git stash list -- --output=out', 'git stash show -- --output=out', 'git stash list HEAD', 'git stash list -- "$x"');
    mayWrite('git blame -- -- --output=out', 'git annotate -- -- --output=out a.txt', 'git blame -- "$x" "$y"');
    await read('git stash list', 'git stash list --stat -p', 'git stash show -p', 'git blame a.txt', 'git blame -- a.txt', 'git log -- -x');
  });

  test('when an alias could stand for a command of git that is given up', () => mayWrite('git whatchanged', 'git whatchanged -p'));

  test('when xargs appends text after all', async () => {
    mayWrite('echo f -oout | xargs -I{} -L1 sort f', 'echo f -oout | xargs -I{} -n2 sort f', 'echo -delete | xargs -I{} -L1 find f');
    mayWrite(
      'echo -delete | xargs -n1 -I{} find f',
      'echo x | xargs -I{} --max-args=2 sort f',
      'echo x | xargs --max-args 2 -I{} uniq a.txt',
    );
    await read(
      'ls | xargs -n1 -I{} cat {}',
      'ls | xargs -I{} wc -l {}',
      'echo -delete | xargs -I{} find . -name a.txt',
      'ls | xargs -L1 cat',
    );
  });

  test('when a dash takes an option of unzip back, or an option stands where unzip expects a name', async () => {
    mayWrite('unzip -t -- -t x.zip', 'unzip -l -- --l -o x.zip -d sub', 'unzip -l --l x.zip', 'unzip -l-l x.zip', 'unzip x.zip -l');
    mayWrite('unzip x.zip -x -l', 'unzip -q x.zip -p', 'unzip x.zip -- -l', 'zipinfo -- x.zip', 'unzip "$x" -l', 'unzip -l "$x"');
    await read('unzip -l x.zip', 'unzip -p x.zip in-zip.txt', 'unzip -l x.zip -d sub', 'unzip -tq x.zip -x -l', 'zipinfo -1 x.zip -x -l');
  });

  test('when more options follow a number in the same word, or a value that is taken only where it is attached', async () => {
    mayWrite('for x in -d; do zstd -t -T "$x" x.zst; done', 'x=-o=out; zstd -c -T "$x" a.txt', 'zstd -t -T1d x.zst', 'zstd -tT1d x.zst');
    mayWrite('x=-o; ag --after "$x" a', 'x=--exec; fd -e "$x" touch', 'x=-o; tree --filelimit "$x" out', 'x=-i; base64 -w "$x" a.txt');
    await read('zstd -t x.zst', 'zstd -dc x.zst', 'x=-oout; sort -k "$x" a.txt', 'x=-oout; uniq -f "$x" a.txt', 'x=-s; date -d "$x"');
  });

  test('when a variable that becomes a value may not be set yet', async () => {
    mayWrite('find . -name $i -name -delete; i=1', 'find . -name $i$j -name -delete; i=1; j=2', 'sort -k $i -k -oout a.txt; i=1');
    mayWrite('if false; then i=1; fi; find . -name $i -name -delete', 'uniq -- $i a.txt; i=1');
    await read(
      'find . -maxdepth $((1)) -name "f$i"; i=1',
      'i=0; while [ $i -lt 3 ]; do head -n $i a.txt; i=$((i+1)); done',
      'i=1; cut -c $i a.txt',
    );
  });

  test('when a program that is only asked about itself obeys a file of the home directory first', () => {
    mayWrite('curl --version', 'curl --help', 'docker --help', 'docker run --help', 'rsync --version', 'mysql --version', 'gdb --version');
    mayWrite(
      'pip --version',
      'pip3 -V',
      'aws --version',
      'gem --version',
      'meson --version',
      'yq .a data.yaml',
      'bat a.txt',
      'last -d -f a',
    );
    for (const line of ['docker --version', 'sqlite3 --version', 'bat --no-config a.txt', 'last -f a'])
      assert.ok(isReadOnlyCommand(line), line);
  });
});

describe('ps', () => {
  test('is not read-only where it could show the environment of processes', () => {
    mayWrite('ps e', 'ps axeww', 'ps auxe', 'ps -auxe', 'ps -e -aux', 'ps -ef u', 'ps E', 'ps -C x axe', 'ps -C o axe', 'ps -u me');
    mayWrite('ps -o environ', 'ps --format=environ', 'ps o pid e', 'ps -p 1 e', 'ps -e -O k', 'ps axeww | grep -o "KEYS=[^ ]*"');
  });

  test('does not show it in any line that is', async () => {
    const lines = `aux|-ef|-efww|-eF|-aux|auxww|ax|-A|-p 1|-eo pid,user,args|-o user,pid,args|axo pid,args|aux --sort=-rss|-C node|-e --forest|
      -eLf|f|-l|-ely|-u root|-U root -u root|v|s|j|-x|-Ao args|-e -o args|-eo args u|-f u|-ef -o args|l -l|u -o args`;
    const asked = lines.split('|').map((each) => `ps ${each.trim()}`);
    const passed = asked.filter(isReadOnlyCommand);
    assert.ok(passed.length >= 18, passed.join('\n'));
    const child = spawn('sleep', ['60'], { env: { PATH: process.env['PATH'], CANARY: 'shown-by-ps' }, stdio: 'ignore' });
    try {
      await once(child, 'spawn');
      const shown = (line: string) => execFileSync('bash', ['-c', `${line} ww 2>&1; true`], { encoding: 'utf8' });
      assert.match(shown('ps axe'), /shown-by-ps/);
      for (const line of passed) assert.doesNotMatch(shown(line), /shown-by-ps/, line);
    } finally {
      child.kill();
    }
  });
});
