// Which files a line reads and writes, told by its programs and their options.
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ground, judged, verdict, type Asked } from './decide.ts';

const where = await ground();
const { workspace } = where;
await writeFile(join(workspace, 'keep.txt'), 'keep\n');
await mkdir(join(workspace, 'notes'));
await symlink('src', join(workspace, 'way'));

async function answered(expected: string, commands: readonly string[], asked: Asked): Promise<void> {
  const others: string[] = [];
  for (const command of commands) {
    const answer = await verdict(where, ['Bash', command], asked);
    if (answer !== expected) others.push(`${answer}: ${command}`);
  }
  assert.deepEqual(others, [], `all of them: ${expected}`);
}

const mode = 'bypassPermissions';
const free = 'allow mode bypassPermissions';

describe('a file that may not be changed', () => {
  const asked: Asked = { mode, rules: { deny: ['Edit(./keep.txt)'] } };

  test('is denied to programs that change what they are given', async () => {
    const names = [
      'rm rmdir unlink shred mv tee touch truncate fallocate dd chmod chown chgrp mkdir mkfifo mknod patch ed ex vi vim nano sponge',
      'gzip gunzip bzip2 bunzip2 xz unxz zstd unzip zip tar sqlite3 setfacl chattr objcopy strip rimraf',
    ].flatMap((line) => line.split(' '));
    await answered(
      'deny rule',
      names.map((name) => `${name} -- keep.txt`),
      asked,
    );
  });

  test('is denied behind every option that writes it, however the option is written', async () => {
    const commands = [
      'cp -t keep.txt a.txt',
      'cp -vt keep.txt a.txt',
      'cp --target-directory=keep.txt a.txt',
      'install -t keep.txt a.txt',
      'install -Dt keep.txt a.txt',
      'ln -t keep.txt a.txt',
      'ln -st keep.txt a.txt',
      'ln --target-directory=keep.txt a.txt',
      "sed -i 's/a/b/' keep.txt",
      'sed -ni p keep.txt',
      "sed -Ei.bak 's/a/b/' keep.txt",
      "sed --in-place 's/a/b/' keep.txt",
      'perl -i -pe 1 keep.txt',
      'perl -pi -e 1 keep.txt',
      'ruby -i -pe 1 keep.txt',
      'ruby -pi -e 1 keep.txt',
      'sort -o keep.txt a.txt',
      'sort -uo keep.txt a.txt',
      'sort --output=keep.txt a.txt',
      'shuf -o keep.txt a.txt',
      'shuf -eo keep.txt a b',
      'iconv -o keep.txt a.txt',
      'iconv --output=keep.txt a.txt',
      'curl -o keep.txt http://host/',
      'curl -sSo keep.txt http://host/',
      'curl -#o keep.txt http://host/',
      'curl --output keep.txt http://host/',
      'curl -O http://host/keep.txt',
      'curl -sO http://host/keep.txt',
      'curl --remote-name http://host/keep.txt',
      'wget -O keep.txt http://host/',
      'wget -qO keep.txt http://host/',
      'wget -o keep.txt http://host/',
      'wget -a keep.txt http://host/',
      'wget --output-document=keep.txt http://host/',
      'wget --append-output=keep.txt http://host/',
      'find keep.txt -delete',
      'find a.txt -fprint keep.txt',
      'find a.txt -fls keep.txt',
      'git diff --output=keep.txt',
      'awk -i inplace 1 keep.txt',
      'awk --include=inplace 1 keep.txt',
      'uniq a.txt keep.txt',
      ...'rm mv checkout restore clean apply am stash reset switch'.split(' ').map((word) => `git ${word} keep.txt`),
    ];
    await answered('deny rule', commands, asked);
  });

  test('is asked for where nobody knows whether it is changed', async () => {
    const commands = [
      'some-tool keep.txt',
      'curl -T keep.txt http://host/a-o',
      'wget --post-file keep.txt http://host/a-O',
      'cp -l keep.txt copy.txt',
      'cp -al keep.txt copy.txt',
      'cp --link keep.txt copy.txt',
      'cp -s keep.txt copy.txt',
      'cp --symbolic-link keep.txt copy.txt',
      'git tag -f keep.txt',
      'git unheard-of keep.txt',
    ];
    await answered('ask rule', commands, asked);
  });

  test('may be read by everything that only reads', async () => {
    const names = [
      'sh bash dash ash zsh ksh fish node nodejs tsx ts-node python python2 python3 php lua pytest vitest jest mocha',
      'cat head tail tac nl grep egrep fgrep zgrep rg ag wc diff cmp comm cut ls stat file du df od hexdump strings jq fold paste join',
      'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum basename dirname realpath readlink test source',
      'awk gawk mawk nawk perl ruby sort find fd fdfind',
    ].flatMap((line) => line.split(' '));
    const gitReads = [
      'add blame branch cat-file commit describe diff fetch grep log ls-files ls-tree merge merge-base pull push rebase reflog remote',
      'rev-list rev-parse shortlog show status tag',
    ].flatMap((line) => line.split(' '));
    const commands = [
      ...names.map((name) => `${name} keep.txt`),
      ...gitReads.map((word) => `git ${word} keep.txt`),
      'sort a-o keep.txt',
      'sed -n p a-i keep.txt',
      'git log --grep=x--output keep.txt',
      'rsync -l keep.txt notes/',
      'cp keep.txt notes/copy.txt',
      "sed 's/w keep.txt/x/' a.txt",
      String.raw`sed 's/\.w keep.txt/x/' a.txt`,
      "sed 's|a|b|; p' a.txt",
    ];
    await answered(free, commands, asked);
  });

  test('is found in a script of any length', async () => {
    await answered('deny rule', [`sed -n 'w keep.txt\n${'r x\n'.repeat(80)}' a.txt`], asked);
  });
});

describe('a file that may not be read', () => {
  const asked: Asked = { mode, rules: { deny: ['Read(./.env)'] } };

  test('is asked for where a program reads files that stand in none of its words', async () => {
    const commands = [
      'wc --files0-from=a.txt',
      'sort --files0-from=a.txt',
      'du --files0-from=a.txt',
      'du -L .',
      'du -sL .',
      'du --dereference .',
      'file -f a.txt',
      'file -bf a.txt',
      'file --files-from=a.txt',
      'find . -follow',
      'find -L .',
      'find . -files0-from a.txt',
      'fd -L x',
      'fd -HL x',
      'fd --follow x',
      'grep -R x .',
      'grep -nR x .',
      'grep --dereference-recursive x .',
      'rg -L x',
      'rg -nL x',
      'rg --follow x',
      'diff -r src notes',
      'diff -ur src notes',
      'diff --recursive src notes',
      'tar -T a.txt -cf x.tar',
      'tar -cT a.txt',
      'tar --files-from=a.txt -cf x.tar',
      'rsync --files-from=a.txt . notes/',
      'rsync --include-from=a.txt . notes/',
      'rsync --exclude-from=a.txt . notes/',
      'git add --pathspec-from-file=a.txt',
      'cat .[[:alpha:]]nv',
      ...['md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum', 'b2sum', 'cksum', 'shasum'].flatMap((name) => [
        `${name} -c a.txt`,
        `${name} --check a.txt`,
      ]),
    ];
    await answered('ask rule', commands, asked);
  });

  test('is no matter where the same letters are no option', async () => {
    const commands = [
      'du a--dereference',
      'sort --field-separator=: a.txt',
      'tar -cf x.tar src/a-T',
      'rsync a--files-from notes/',
      'grep -n x a-R',
      'X=$Y npm test',
      'X= npm test',
      'cat *.txt',
      'cat *',
    ];
    await answered(free, commands, asked);
    await answered('deny rule', ['cat .e*', 'cat .?nv', 'cat ./.e[n]v'], asked);
  });

  test('is found by the name of a link that the line went through, and by where the link leads', async () => {
    await answered('deny rule', ['cd way && cat a.ts'], { mode, rules: { deny: ['Read(./way/a.ts)'] } });
    await answered('deny rule', ['cd way && cat a.ts'], { mode, rules: { deny: ['Read(./src/a.ts)'] } });
  });
});

describe('a rule without brackets against edits', () => {
  const asked: Asked = { mode, rules: { deny: ['Edit'] } };

  test('holds for what a line itself writes, and not for its programs', async () => {
    await answered('deny rule', ['echo x > a.txt', 'ls >> notes/log', 'ls | cat > a.txt'], asked);
    await answered(free, ['touch a.txt', 'cat < a.txt', 'rm a.txt'], asked);
  });
});

describe('acceptEdits', () => {
  const asked: Asked = { mode: 'acceptEdits' };

  test('lets sed change text in place, and run or write nothing else', async () => {
    await answered(
      'allow mode acceptEdits',
      [
        "sed -i 's/a/b/' a.txt",
        "sed -i.bak 's/a/b/' a.txt",
        "sed --in-place 's/a/b/' a.txt",
        "sed -i 's/a/b/g' a.txt src/a.ts",
        "sed -i 's/a/b/' src/*.ts",
      ],
      asked,
    );
    const commands = [
      "sed -i 's/a/b/e' a.txt",
      "sed -i '1e id' a.txt",
      "sed -i 'w notes/x' a.txt",
      'sed -i "s/$A/$B/" a.txt',
      "sed -i '1e id' src/*.ts",
    ];
    await answered('ask mode acceptEdits', commands, asked);
  });

  test('asks once nobody knows which directory the line is in', async () => {
    await answered('ask mode acceptEdits', ['pushd src; popd; touch x', 'cd "$X"; touch x', 'cd src/..; touch x'], asked);
    await answered('allow mode acceptEdits', ['cd src; touch x', 'cd -P src && rm a.ts'], asked);
  });
});

test('a question says why a line could not be judged', async () => {
  const unread = await judged(where, ['Bash', 'echo "'], { rules: { ask: ['Bash(git push:*)'] } });
  assert.match(unread.reason ?? '', /Bash\(git push:\*\) cannot be told: the line /);
  const unknown = await judged(where, ['Bash', '"$X" push'], { rules: { ask: ['Bash(git push:*)'] } });
  assert.match(unknown.reason ?? '', /only the shell knows what the line runs/);
  const unruled = await judged(where, ['Bash', 'echo "']);
  assert.match(unruled.reason ?? '', /^The line .+, so that no rule can allow it\.$/);
  assert.equal((await judged(where, ['Bash', 'make'])).reason, 'No rule allows this call of Bash.');
});
