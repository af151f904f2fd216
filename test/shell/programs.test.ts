import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

function reads(...lines: string[]): void {
  for (const line of lines) assert.equal(isReadOnlyCommand(line), true, line);
}

function mayWrite(...lines: string[]): void {
  for (const line of lines) assert.equal(isReadOnlyCommand(line), false, line);
}

describe('a sed script only reads', () => {
  test('when it prints, edits and jumps', () => {
    reads(`sed -n '1,40p' a`, `sed 's/a/b/g;s|x|y|2' a`, `sed -n '/a/,/b/{//!p}' a`, `sed ':a;N;$!ba;s/\\n/,/g' a`, `sed '$!N;P;D' a`);
    reads(
      `sed -e '1i\\' -e 'text; w out' a`,
      `sed 'a w out' a`,
      `sed '/w x/d;y/we/ew/' a`,
      `sed -E 's/(a|b)\\/w/\\1/' a`,
      `sed '2q5' a`,
      `sed 'r b' a`,
    );
    reads(`sed '0~3d;5,~4p;2,+3l' a`, `sed '/x/I!d # w out' a`, 'sed -- p a', `sed -s -n '$=' a b`);
  });

  test('and not when a command or a flag writes or runs something', () => {
    mayWrite(`sed 'w out' a`, `sed 's/a/b/w out' a`, `sed 's/a/b/e' a`, `sed '1e ./evil' a`, `sed '/x/W out' a`, `sed '1{p;w out\n}' a`);
    mayWrite(
      `sed -e p -e 'w out' a`,
      `sed 'a\\\ntext\nw out' a`,
      `sed 's,a,b,;w out' a`,
      `sed 's/[/]/x/;s/a/w out/' a`,
      `sed 'sxaxbxw out' a`,
    );
    // Where one version sees a comment or text, another sees a command.
    mayWrite(`sed 'ba#x;w out' a`, `sed 'a\\  \nw out' a`, `sed 'a\\\\\nw out' a`, `sed ':a w out' a`, `sed '1!{w out' a`, `sed 'v;p' a`);
    mayWrite(`sed -i p a`, `sed -ni p a`, `sed -f x a`, `sed --in p a`, `sed "$x" a`, `sed -e "$x" a`, 'sed p *', `sed -n p "$f"`, 'sed');
  });
});

describe('an awk program only reads', () => {
  test('when it prints what it computes', () => {
    reads(
      `awk -F: -v n=3 '$1 > n && NR != 2 {print $1, $2}' a`,
      `awk '{s += $1} END {print s / NR, (s) / 2}' a`,
      `awk '/a\\/b/ || $2 ~ /[>|]/' a`,
    );
    reads(
      `awk '{print (a > b), "x > y | z"}' a`,
      `awk 'function f(x) {return x * 2} {printf "%d\\n", f($1)}' a`,
      `awk '{print $1} # > out' a`,
    );
    reads(`awk 'BEGIN {while (i++ < 3) if (i > 1) print i}'`, `awk '{a[$1 > 2]++} END {for (k in a) print k, a[k]}' x=1 a *`);
  });

  test('and not when it may run, write or load something', () => {
    mayWrite(`awk '{print > "out"}' a`, `awk '{print $1, $2 > $3}' a`, `awk '{print(a)(b) > "out"}' a`, `awk '{printf "x" >> "out"}' a`);
    mayWrite(
      `awk '{print | "sh"}' a`,
      `awk 'BEGIN {"sh" | getline}'`,
      `awk 'BEGIN {system("x")}'`,
      `awk '{print,\n a > "out"}' a`,
      `awk '{print a ?\n b : c > "out"}' a`,
    );
    mayWrite(
      `awk '@load "x"; BEGIN {}'`,
      `awk 'BEGIN {@f()}'`,
      `awk 'BEGIN {ARGV[1] = "/inet/tcp/0/h/80"}'`,
      `awk 1 /inet/tcp/0/h/80`,
      `awk 1 "$f"`,
      `awk 1 {/inet/tcp/0/h/80,x}`,
    );
    // Where awks differ in what is a regular expression, a redirection could hide.
    mayWrite(
      `awk '{if (x) /"/; print > "out" "/}' a`,
      `awk '{case /1; print "x" > "out"; y = 2/1}' a`,
      `awk '/[/]/; {print "x" > "out"} /]/' a`,
      `awk '/\\[x][/ > "]/' a`,
    );
    mayWrite(`awk -f x a`, `gawk -i inplace 1 a`, `gawk -o out 1 a`, `awk "$x" a`, `gawk -lx 1`);
  });
});

describe('an option is read as the program reads it', () => {
  test('when options are whole words, or come before operands only', () => {
    reads('xxd -l 16 a', 'xxd -c8 -p a', 'tree -L 2 -a src', 'tree -aL 2');
    mayWrite('xxd a out', 'xxd a -r', 'xxd -pl 8 a', 'xxd -- a out', 'xxd *', 'tree -Lo 2 out', 'tree -R -L 1', 'tree -o out');
  });

  test('when only some of its modes leave files alone', () => {
    reads(
      'gzip -l f.gz',
      'gzip -dc f.gz',
      'zcat f.gz',
      'bzip2 -t f.bz2',
      'xz -lv f.xz',
      'tar tzvf a.tgz',
      'tar -tf a.tar x',
      'unzip -l f.zip',
      'unzip -p f.zip a',
    );
    mayWrite(
      'gzip f',
      'gzip -d f.gz',
      'gunzip f.gz',
      'bzip2 -td f.bz2',
      'xz -ld f.xz',
      'zstd -t -d f',
      'unzip f.zip',
      'unzip -T f.zip',
      'tar xf a.tar',
      'tar tf host:a.tar',
    );
    mayWrite(
      'tar tf a.tar --checkpoint=1',
      'tar -tf a.tar -I ./evil',
      'tar -tT list',
      'ar r lib.a x',
      '7z x f.7z',
      'nm @options',
      'dpkg -i x.deb',
      'sysctl -w a=b',
      'sysctl a=b',
    );
  });

  test('when a value may be no value', () => {
    mayWrite('git log --format "$x"', 'git diff --stat-width "$x"', 'git log $x');
    reads('git log --format="$x"', 'date -d "$x"', 'git log --since="$x" -- "$y"');
  });

  test('when the program runs another', () => {
    reads(
      'ls | xargs wc -l',
      'ls | xargs -I{} echo a-{}',
      'xargs -0 -n1 grep -l x',
      'env LANG=C sort a',
      'timeout 5 ls',
      'nice -n 5 ls',
      'command -v node',
      'builtin pwd',
    );
    mayWrite(
      'ls | xargs find',
      'ls | xargs sort',
      'ls | xargs sed p',
      'ls | xargs git log --',
      'ls | xargs -I{} {}',
      'ls | xargs -I{} sort {}',
      'xargs env',
      'xargs xargs rm',
    );
    mayWrite(
      'env PATH=. ls',
      'env -S "rm x"',
      'env -C x ls',
      'timeout 5 rm x',
      'command rm x',
      'command git status',
      'builtin read i',
      'exec rm x',
      'nohup rm x',
    );
  });

  test('when bash itself runs it', () => {
    reads(
      'set -euo pipefail; ls',
      'shopt -s globstar; ls **/*.ts',
      'type ls',
      'declare -p HOME',
      'trap -p',
      'umask',
      'ulimit -n',
      'mapfile -t x < a',
      'compgen -A builtin',
    );
    mayWrite(
      'set -a; x=1',
      'set -x; ls',
      'shopt -s extglob',
      'shopt -s expand_aliases',
      'declare -x PATH=.',
      'trap ls EXIT',
      'umask 0',
      'ulimit -n 5',
      'mapfile -C ./evil x',
    );
    mayWrite(
      'compgen -C ./evil',
      'compgen -A builtin -C ./evil',
      'hash -p ./evil ls',
      'alias ls=./evil',
      'enable -f x y',
      'export PATH=.',
      'unset PATH',
      'read -aPATH',
      'let i=1',
    );
  });

  test('when it only tells its version, and does not look into the project first', () => {
    reads('node --version', 'python3 -V', 'npm --version', 'kubectl version --client', 'gcc -dumpversion');
    mayWrite(
      'cargo --version',
      'rustc --version',
      'yarn -v',
      'pnpm --version',
      'npx tsc --version',
      'go version',
      'mvn --version',
      'make --help all',
      'node --version x',
    );
  });
});
