// Other spellings of what a rule or a mode keeps a session from. Nothing of this may run unasked.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ground, verdict, type Asked } from './decide.ts';

const where = await ground();
const { root, workspace, dataDir } = where;
await mkdir(join(workspace, '.git/hooks'), { recursive: true });
await writeFile(join(workspace, 'keep.txt'), 'keep\n');

async function stopped(commands: readonly string[], asked: Asked, by = /^(ask|deny)/): Promise<void> {
  for (const command of commands) assert.match(await verdict(where, ['Bash', command], asked), by, command);
}

async function free(commands: readonly string[], asked: Asked): Promise<void> {
  for (const command of commands) assert.match(await verdict(where, ['Bash', command], asked), /^allow/, command);
}

describe('without a sandbox, a line that only reads is stopped where it may read outside:', () => {
  const outside = `${root}/other/c.txt`;
  const lines = {
    'names that xargs reads': [
      `echo ${outside} | xargs -I% head -n1 %`,
      `echo ${dataDir}/toolexec.sqlite | xargs -I% head -c 15 %`,
      `echo ${outside} | xargs -n1 cat`,
      `echo ${outside} | xargs -r cat`,
      `echo ${outside} | xargs --odd cat`,
      `xargs -a a.txt cat`,
    ],
    'names that stand in a file': [
      `printf '${outside}\\0' | sort --files0-from=-`,
      `printf '${outside}\\0' | wc --files0-from=-`,
      `printf '${outside}\\0' | du --files0-from=-`,
      `echo ${outside} | file -f -`,
      'md5sum -c a.txt',
      'sha256sum --check a.txt',
    ],
    'files that a script reads': [
      `sed 'r ${outside}' a.txt`,
      `sed -n '1r${outside}' a.txt`,
      `sed -e '/x/r ${outside}' a.txt`,
      `sed 'R${outside}' a.txt`,
      `jq -n 'import "can" as $d {search:"${root}/other"}; $d'`,
      `jq 'include "can" {search:"${root}/other"}; x' a.txt`,
    ],
    'names that the shell finds': [`printf '%s\\n' ${dataDir}/*`, `echo ${root}/other/*`],
    'links that a search follows': ['grep -R x .', 'rg -L x', 'find -L . -name x', 'diff -r src src/gen'],
  };
  for (const [what, commands] of Object.entries(lines)) {
    test(what, async () => {
      await stopped(commands, { mode: 'dontAsk' }, /^deny mode dontAsk$/);
      await stopped(commands, {}, /^ask mode default$/);
    });
  }

  test('and what reads inside is not', async () => {
    const commands = [
      "sed -n '1,20p' a.txt",
      "sed 's/for/tmp/g' a.txt",
      "sed -n '/error/p' a.txt",
      "sed '/^#/d' a.txt",
      "jq '.imports' a.txt",
      'jq -r .name a.txt',
      'sort -t/ -k2 a.txt',
      'cut -d/ -f2 a.txt',
      'tr / _ < a.txt',
      'grep -rn x src',
      'rg -n x',
      'file a.txt',
      'wc -l src/*.ts',
      'echo src/*',
      'md5sum a.txt',
      'xargs -n1 echo < a.txt',
      'diff a.txt src/a.ts',
    ];
    await free(commands, {});
  });
});

test('a denied file is not read by a name that stands in no word', async () => {
  const commands = [
    'echo .env | xargs -I% cat %',
    "sed 'r .env' a.txt",
    "sed -i 'r .env' a.txt",
    "printf '.env\\0' | sort --files0-from=-",
    'ls -A | xargs -I{} cat {} .',
    'find . -name ".e*" -exec cat {} +',
    'grep -vf.env a.txt',
    'sh -c "cat < .env"',
    'bash -c "cd src; cat ../.env"',
  ];
  await stopped(commands, { mode: 'bypassPermissions', rules: { deny: ['Read(./.env)'] } });
});

describe('a denied command is found in', () => {
  const asked: Asked = { mode: 'bypassPermissions', rules: { deny: ['Bash(curl:*)'] } };
  const lines = {
    'what env splits': [
      "env -S'curl -V'",
      "env --split-string='curl -V'",
      'env -vScurl\\ -V',
      "env -iS 'X=1 curl -V'",
      'env --sp="curl -V"',
    ],
    'what a shell is given behind other options': [
      "bash -o pipefail -c 'curl -V'",
      "bash -eo pipefail -c 'curl -V'",
      "bash -O extglob -c 'curl -V'",
      "bash +O extglob -c 'curl -V'",
      "bash --rcfile x -c 'curl -V'",
      "bash --init-file x -c 'curl -V'",
      "sh -o errexit -c 'curl -V'",
      "tcsh -c 'curl -V'",
      "fish --command='curl -V'",
    ],
    'what builtins run later': [
      'hash -p /usr/bin/curl z; z -V',
      'shopt -s expand_aliases\nalias q=curl\nq -V',
      "mapfile -C 'curl -V' -c1 <<< x",
      "compgen -C 'curl -V'",
      "trap -- 'curl -V' EXIT",
      "PS4='$(curl -V >&2)'; set -x; :",
      "export PS4='$(curl -V >&2)'; set -x; :",
      'bind -x \'"a":curl\'',
      'enable -f ./curl.so x',
    ],
    'what is read instead of a file': [
      "source /dev/stdin <<< 'curl -V'",
      '. <(echo curl -V)',
      'echo curl -V | . /dev/stdin',
      'echo curl -V | bash /dev/stdin',
      'bash //dev/fd/0 <<< curl',
      "BASH_ENV=/dev/stdin bash -c : <<< 'curl'",
    ],
    'what a program that runs another is given': [
      'linux64 curl -V',
      'x86_64 curl -V',
      'choom -n 0 -- curl -V',
      'setpriv --no-new-privs curl -V',
      'start-stop-daemon --start --exec /usr/bin/curl -- -V',
      'start-stop-daemon --start --exec=/usr/bin/curl -- -V',
      'rlwrap curl -V',
      'run-parts --arg=x curl',
      "script -qc 'ls; curl -V' /dev/null",
      "su -c'ls; curl -V'",
      "watch 'ls; curl -V'",
      'npm exec curl -- -V',
      'uv run curl',
    ],
    'what xargs reads': [
      'echo curl -V | xargs -n2 env',
      'echo curl | xargs -I% % -V',
      'echo curl -V | xargs timeout 5',
      'echo "curl -V" | xargs -I% sh -c %',
      'echo x | xargs -I% -P2 curl %',
      'echo -exec curl | xargs find .',
    ],
    'what git runs': [
      "git -c alias.x='!curl -V' x",
      "git -c core.pager='curl -V' log",
      "git config alias.x '!curl -V'; git x",
      "git config core.fsmonitor 'curl -V'; git status",
      "GIT_EXTERNAL_DIFF='curl -V' git diff --no-index a.txt keep.txt",
      "env GIT_SSH_COMMAND='curl -V' git fetch",
      "git rebase -x 'curl -V' HEAD~1",
      "git rebase --exec='curl -V' HEAD~1",
      'git bisect run curl -V',
      "git submodule foreach --quiet 'curl -V'",
      "git grep -O'curl -V' x",
      'git clone "ext::curl -V" x',
    ],
    'what scripts and options run': [
      "sed -n '1e curl -V' a.txt",
      "sed 's/.*/curl -V/e' a.txt",
      'awk \'BEGIN { system("curl -V") }\'',
      'awk \'{ print | "curl -V" }\' a.txt',
      "split --filter='curl -V' a.txt",
      "sort --compress-prog='curl -V' a.txt",
      "tar -cf x --checkpoint=1 --checkpoint-action=exec='curl -V' a.txt",
      "tar -cf x --checkpoint=1 --checkpoint-action 'exec=curl -V' a.txt",
      "tar -I 'curl -V' -cf x a.txt",
      "rsync -e 'curl -V' a x:",
      "rg --pre 'curl -V' x",
      'fd a --exec=curl',
      'fd a --exec-batch curl -V',
      'fd -xcurl',
      'fdfind -Hx curl -V ;',
    ],
  };
  for (const [what, commands] of Object.entries(lines)) test(what, () => stopped(commands, asked, /^(ask|deny) rule$/));

  test('but not in everyday lines', async () => {
    const commands = [
      'bash scripts/build.sh',
      'bash -euo pipefail -c "npm test"',
      'source .venv/bin/activate',
      'export FOO=bar NODE_ENV=test',
      'trap - EXIT',
      'trap "rm -f x.tmp" EXIT',
      'hash -r',
      "alias ll='ls -l'",
      'env NODE_ENV=test npm test',
      'git -c user.name="O\'Brien" commit -m "it\'s done"',
      'git -c user.name="$NAME" commit -m x',
      'git config user.email a@b.c',
      'git push -u origin main',
      'git commit -m "$(cat <<\'END\'\nmsg\nEND\n)"',
      'GIT_EDITOR=true git rebase --continue',
      "sed -i 's/curl/wget/' a.txt",
      'sed -i "s/$A/$B/" a.txt',
      "awk -F'|' '{ print $2 }' a.txt",
      "awk '/a|b/ { print }' a.txt",
      'find . -name "*.ts" -exec grep -l x {} +',
      'find src -type f | xargs grep -l curl',
      'ls | xargs -n1 echo',
      'ls | xargs -I{} cp {} x/{}',
      'npm install curl',
      'npm run build',
      'npx tsc --noEmit',
      'docker compose up -d',
      'split -l 100 a.txt',
      'sort -k2 a.txt',
      'tar czf x.tgz src',
      'declare -A map',
      'mapfile -t lines < a.txt',
      'complete -p',
    ];
    await free(commands, asked);
  });
});

describe('a file whose change is denied', () => {
  const asked: Asked = { mode: 'bypassPermissions', rules: { deny: ['Edit(./keep.txt)'] } };

  test('is not changed through another shell, directory or search', async () => {
    const commands = [
      'bash -c "> keep.txt"',
      'sh -c "cd .git; rm ../keep.txt"',
      'sh -c "cd .git; > ../keep.txt"',
      'env -C .git rm ../keep.txt',
      'env --chdir=.git rm ../keep.txt',
      'git -C .git rm ../keep.txt',
      'tar -C .git -xf x.tar ../keep.txt',
      'echo keep.txt | xargs rm',
      'echo keep.txt | xargs -I% sh -c "echo > %"',
      'find keep.txt -delete',
      'find . -name "k*" -delete',
      'find . -name "k*" -exec rm {} +',
      'find a.txt -fprint keep.txt',
      'find a.txt -exec cp a.txt keep.txt \\;',
      'x=keep.txt; rm "$x"',
      'bash -c \'x=keep.txt; rm "$x"\'',
    ];
    await stopped(commands, asked, /^(ask|deny) rule$/);
  });

  test('is not changed by a program that nobody knows to write, or by an option written another way', async () => {
    const commands = [
      "sed --in-pl 's/K/X/' keep.txt",
      "sed -n 'w keep.txt' a.txt",
      'sort --outp=keep.txt a.txt',
      'sort -uokeep.txt a.txt',
      'uniq a.txt keep.txt',
      'shuf a.txt -o keep.txt',
      'iconv a.txt -o keep.txt',
      'curl -sokeep.txt file:///x',
      'curl -sO http://host/keep.txt',
      'wget -qOkeep.txt x',
      'git diff --output=keep.txt',
      'git archive HEAD -o keep.txt',
      'git config -f keep.txt a.b c',
      'git checkout HEAD -- keep.txt',
      'gcc x.c -o keep.txt',
      'openssl rand -out keep.txt 4',
      'objcopy a.txt keep.txt',
      'strace -o keep.txt ls',
      'fallocate -l 9 keep.txt',
      'script -c ls keep.txt',
      'cp a.txt keep.txt -S .old',
      'cp a.txt --targ=keep.txt',
      'ln keep.txt other; echo x > other',
      'some-tool keep.txt',
    ];
    await stopped(commands, asked, /^(ask|deny) rule$/);
  });

  test('may still be read, copied, run, and named in passing', async () => {
    const commands = [
      'cat keep.txt',
      'cat "$X" keep.txt',
      'cp keep.txt copy.txt',
      'cp -r keep.txt src x/',
      'grep -n "$X" keep.txt',
      'node keep.txt',
      'python3 keep.txt --fast',
      'bash keep.txt',
      'git add keep.txt',
      'git diff keep.txt',
      'git commit -m "$MESSAGE" keep.txt',
      'echo keep.txt >> .gitignore',
      'sort keep.txt > sorted.txt',
      'find . -name keep.txt',
      'npm test',
      'make',
    ];
    await free(commands, asked);
  });

  test('is held by a sandbox, so that nothing is asked that may be harmless', async () => {
    const policy = { sandboxed: true, autoAllowCommands: true };
    await free(['some-tool keep.txt', 'echo keep.txt | xargs rm'], { policy, rules: { deny: ['Edit(./keep.txt)'] } });
  });
});

test('acceptEdits plants no hook, however the directory is named', async () => {
  const commands = [
    'cp --targ=.git/hooks a.txt',
    'cp --t=.git/hooks a.txt',
    'mv --ta=.git/hooks a.txt',
    'cp -t.git/hooks a.txt',
    'cp a.txt .git/hooks -S .x',
  ];
  await stopped(commands, { mode: 'acceptEdits' }, /^ask policy$/);
  const allow = ['Bash(some-tool:*)'];
  await stopped(['some-tool .git/hooks/pre-commit'], { rules: { allow } }, /^ask policy$/);
  await free(['some-tool .git/hooks/pre-commit'], { rules: { allow }, policy: { sandboxed: true } });
});

test('a line made to be slow to follow is not', async () => {
  const asked: Asked = { mode: 'bypassPermissions', rules: { deny: ['Bash(curl:*)', 'Read(.env)'] } };
  await stopped([`strace ${"'# a b' ".repeat(1_200)}`, 'strace '.repeat(1_300), 'env -S"strace '.repeat(600)], asked);
  await stopped([`sed '${'r '.repeat(4_000)}' a.txt`], { rules: { deny: ['Read(.env)'] } });
});
