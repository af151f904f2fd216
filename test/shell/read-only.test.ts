import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

function reads(...lines: string[]): void {
  for (const line of lines) assert.equal(isReadOnlyCommand(line), true, line);
}

function mayWrite(...lines: string[]): void {
  for (const line of lines) assert.equal(isReadOnlyCommand(line), false, line);
}

describe('a line only reads', () => {
  test('when it lists, shows, searches, counts and compares', () => {
    reads('ls -la src', 'cat -n a.txt', `grep -rn "TODO" --include='*.ts' src`, `find . -name '*.ts' -not -path './node_modules/*'`);
    reads('wc -l < a.txt', 'head -20 a.txt', 'tail -n +5 a.txt', 'tail -f app.log', 'sort -k2,2n -t, data.csv', 'uniq -c a.txt');
    reads('rg -n TODO -g "*.ts" src', 'stat -c %s a.txt', 'file -b a.txt', 'du -sh .', 'df -h', 'date +%F', 'which -a node');
    reads(
      'basename a/b.txt .txt',
      'dirname a/b',
      'diff -u a b',
      'cmp a b',
      'cut -d: -f1 a',
      'tr a-z A-Z',
      "printf '%s\\n' a",
      'pwd',
      'sleep 5',
    );
    reads('true', 'false', 'test -f a', '[ -d src ]', 'echo hello', 'echo "a > b"');
  });

  test('in pipes, lists, groups and loops', () => {
    reads('ls | sort | head -3', 'ls && pwd || echo no; date', '! grep -q x a.txt', 'time ls', '(cd src && ls)', '{ ls; pwd; } | cat');
    reads(
      'if [ -f a ]; then cat a; else ls; fi',
      'for f in *.txt; do head -1 "$f"; done',
      'cat a | while read -r line; do echo "$line"; done',
    );
    reads('case "$HOME" in /root) echo root;; *) echo other;; esac', 'diff <(ls old) <(ls new)', 'echo $(pwd) `date`');
  });

  test('with git in the directory where it is', () => {
    reads('git status -sb', 'git log --oneline -5 -- src', 'git diff --stat HEAD~1', 'git show HEAD:a.txt', 'git --no-pager log -1 | cat');
  });

  test('when its redirections write nothing', () => {
    reads('ls 2>/dev/null', 'ls >/dev/null 2>&1', 'ls &>/dev/null', 'cat < a.txt', "cat <<'EOF'\n$(rm x)\nEOF", 'grep a <<< "$HOME"');
    mayWrite(
      'ls > out',
      'ls >> out',
      'ls 2> out',
      'ls &> out',
      'ls >| out',
      'ls >& out',
      '> out',
      'cat < /dev/tcp/h/1',
      `cat < "/dev/u"'dp/h/1'`,
    );
    mayWrite('ls > "$x"', 'cat <<EOF\n$(rm x)\nEOF', 'cat <> a.txt', 'cat < ~/x', 'ls {fd}>out');
    mayWrite('ls > /dev/stdout', '{ ls > /dev/stderr; } 2< a.txt', 'ls >&3', 'ls 1<&3');
    reads('wc -l < <(ls)', 'echo "$(< a.txt)"', 'ls 2>&1 >&-');
  });
});

describe('a line may write', () => {
  test('when anything of it is not understood', () => {
    mayWrite(
      '',
      '   ',
      'ls |',
      "echo 'a",
      'ls )',
      'ls (a',
      'then ls',
      'echo a\0b',
      `echo ${'a'.repeat(10_000)}`,
      'ls\u00a0-la',
      'ls\u202e txt',
    );
    mayWrite(
      'rm x',
      './ls',
      '/usr/bin/../bin/ls',
      '/tmp/ls',
      '/usr/bin/git status',
      'unknown --help',
      '$x',
      '"$SHELL" -c ls',
      'l{s,}',
      '~/ls',
      'eval ls',
      'sudo ls',
      'ls &',
      'f() { ls; }',
    );
    mayWrite(`echo ${'$(echo '.repeat(40)}x${')'.repeat(40)}`);
    mayWrite(`echo $((${'1+'.repeat(4_900)}1))`, `${'env '.repeat(20)}ls`);
  });

  test('when an option is not known, abbreviated, bundled or built by an expansion', () => {
    mayWrite('sort -o out a', 'sort a -o out', 'sort -no out a', 'sort --outp=out a', 'sort --output out a', 'sort -S1 --comp=./evil a');
    mayWrite(
      'rg --pre=./evil x',
      'rg -z x',
      'find . -delete',
      'find . -exec rm {} +',
      'find . -fprint out',
      'git log --output=out',
      'diff -l a b',
    );
    mayWrite(
      'date -s now',
      'date 0101000020',
      'uniq a out',
      'file -C -m x',
      'df --sync',
      'git diff --o{utput=x,}',
      "git log $'--output=x'",
    );
    mayWrite('sort $x', 'sort "$x"', 'find . $x', 'find . -name $x', 'sort "$(echo -o)" a', 'git log `echo --output=x`');
  });

  test('when a name in the directory could become an option or a second operand', () => {
    mayWrite(
      'sort *',
      'find *',
      'find . -name *',
      'rg x *',
      'git log *',
      'uniq *',
      'uniq ./*',
      'sort [ab]*',
      'sort {-o,x}',
      'find . -{print,delete}',
    );
    reads('sort ./*', 'sort src/*.txt', 'sort a*', 'rg x -- *', 'cat *', 'ls src/*.{ts,py}', 'grep one *', 'echo *', 'sort -- $x');
  });

  test('when bash reads it otherwise than it looks', () => {
    mayWrite(
      'echo $[x]',
      `x='a[$(./evil)]'; echo "$[x]"`,
      'echo ${ ./evil; }',
      'echo ${| ./evil; }',
      'echo "$\\\n(./evil)"',
      'cat <\\\n(./evil)',
    );
    mayWrite('find . {x},-delete}', 'sort {-o},x}', `sed $'p;#\\\nw out' a.txt`, `echo $'\\x{2d}'`, `find . $'\\0'`);
    reads('sort a{x,y}', 'git show HEAD@{1}', `printf $'a\\tb'`, 'ls \\\n  -l', 'ls &&\\\n pwd');
  });

  test('when a variable, a subscript or arithmetic is set or evaluated', () => {
    mayWrite('A=1 ls', 'PATH=. ls', 'LD_PRELOAD=./x ls', 'LC_ALL=$(./evil) ls', 'A=$(./evil)', 'HOME=. git status', 'LANG=../x ls');
    mayWrite(
      'echo ${x:=1}',
      'echo ${x@P}',
      'echo ${!x}',
      'echo ${a[$(./evil)]}',
      'echo $((x=1))',
      'echo $((a))',
      'i=1; read i; echo $((i))',
      'i=1; read "i"; [[ $i -eq 1 ]]',
      'i=$x; ((i++))',
      'echo $((i++))',
      '((PATH=1))',
      'x=1 ((x[$(./evil)]))',
      '[[ $x -eq 1 ]]',
      '[[ -v x ]]',
      '[[ -R x ]]',
      'x[$(./evil)]=1',
      'http_proxy=x',
      'HOME=.',
      'IFS=/ ls',
      'echo "${a[x]}"',
      'echo ${x@P}',
      'LC_ALL=ja_JP.SJIS sed p a',
      'echo ${x:$y}',
      'echo ${x:-$(rm x)}',
    );
    mayWrite(
      'printf -v x hi',
      "printf '%n' PATH; ls",
      "printf '%-5n' PATH; ls",
      'printf "$format" PATH',
      'for PATH in .; do ls; done',
      'echo . | { read PATH; ls; }',
    );
    mayWrite('test -v a', "[ 'a[$(./evil)]' -eq 1 ]", '[ $x ]', 'test "$a" "$b"', '[[ -v a ]]');
    reads(
      'for ((i=0; i<3; i++)); do echo $i; done',
      'i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done',
      '(( 2 > 1 ))',
      'echo $((RANDOM % 6))',
    );
    reads('f=a.txt; head -1 "$f"', 'n=$(wc -l < a.txt); echo "$n"', 'while IFS= read -r line; do echo "$line"; done < a.txt');
    reads(
      '[[ -f a && "$x" == *.ts || $y =~ ^a ]]',
      '[[ ${#x} -gt 3 ]]',
      '[ ! -f "$x" ]',
      '[ $# -gt 0 ]',
      '[ $? -eq 0 ]',
      'echo "${a[0]}" "${a[@]}"',
    );
    reads(
      'LANG=C sort a',
      'TZ=Europe/Berlin date',
      'NO_COLOR=1 ls',
      'echo ${x:-none} ${x##*/} ${x:0:3} $((1+2))',
      "printf '%d%%\\n' 5",
      '[ "$x" = 1 ]',
    );
  });

  test('when git works in another directory or with other settings', () => {
    mayWrite(
      'cd x && git status',
      '(cd x; git log)',
      'git -C x status',
      'git --git-dir=x status',
      'git -c core.pager=./evil log',
      'git -p log',
    );
    mayWrite('git push', 'git status --help', 'git log --ext-diff', 'git diff --textconv', 'git st', 'git stash', '"$git" status');
    reads('cd src && ls');
  });
});
