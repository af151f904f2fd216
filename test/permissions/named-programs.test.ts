// Which programs a line runs, told by wrappers, runners, options and variables.
import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ground, verdict, type Asked } from './decide.ts';

const where = await ground();
const { workspace } = where;
await writeFile(join(workspace, 'keep.txt'), 'keep\n');

async function answered(expected: RegExp, commands: readonly string[], asked: Asked): Promise<void> {
  const others: string[] = [];
  for (const command of commands) {
    const answer = await verdict(where, ['Bash', command], asked);
    if (!expected.test(answer)) others.push(`${answer}: ${command}`);
  }
  assert.deepEqual(others, [], `all of them: ${expected}`);
}

const mode = 'bypassPermissions';

describe('a denied command', () => {
  const asked: Asked = { mode, rules: { deny: ['Bash(curl:*)'] } };

  test('is found behind programs that run others', async () => {
    const runners = [
      'ionice chrt taskset chroot unshare nsenter setarch linux32 linux64 x86_64 i386 i486 i586 i686 uname26 prlimit choom setpriv',
      'uclampset capsh numactl runcon aa-exec cgexec cpulimit flock runuser su sg pkexec gosu su-exec setuidgid chpst softlimit envdir',
      'start-stop-daemon daemonize systemd-run systemd-inhibit tini dumb-init run-parts ssh sshpass strace ltrace gdb lldb valgrind',
      'heaptrack rr perf bpftrace watch entr nodemon hyperfine parallel sem busybox toybox coreutils script scriptreplay unbuffer expect',
      'rlwrap catchsegv eatmydata faketime fakeroot fakechroot torsocks torify proxychains proxychains4 tsocks socat dbus-run-session',
      'dbus-launch xvfb-run ssh-agent tmux screen dtach abduco firejail bwrap proot docker podman nerdctl kubectl lxc-attach',
      'nix-shell caffeinate npx pnpx bunx uvx pipx ld.so ld-2.31.so ld-linux-x86-64.so.2 ld-musl-x86_64.so.1',
    ].flatMap((line) => line.split(' '));
    const behind = [
      'npm exec',
      'npm x',
      'pnpm exec',
      'pnpm dlx',
      'yarn exec',
      'yarn dlx',
      'bun x',
      'uv run',
      'poetry run',
      'pipenv run',
      'hatch run',
      'conda run',
      'bundle exec',
      'rbenv exec',
      'pyenv exec',
      'mise exec',
      'mise x',
      'asdf exec',
      'direnv exec .',
    ];
    await answered(
      /^deny rule$/,
      [...runners, ...behind].map((start) => `${start} curl -V`),
      asked,
    );
  });

  test('is found behind wrappers and their options', async () => {
    const commands = [
      'timeout -v 5 curl x',
      'timeout -k 3 -s KILL 5 curl x',
      '/usr/bin/time -v curl x',
      'nice -n 5 curl x',
      'nohup curl x',
      'stdbuf -o L curl x',
      'command -p curl x',
      'builtin curl x',
      'env -i -u A B=c curl x',
      'exec -c -a ls curl x',
      'sudo -n -u root A=b curl x',
      'doas -u root curl x',
      'setsid -w curl x',
      'echo x | xargs -0 -n 1 -P 2 curl',
      'echo x | xargs -I {} curl {}',
      'fd --exec curl',
      'fd --exec-batch curl',
      'fd -x curl',
      'fd . -X curl',
      'fd -1x curl',
      'fd -0X curl',
      'fd a -x=curl',
      'fdfind -x curl',
      String.raw`find . -exec echo {} \; -exec curl {} \;`,
      'find . -exec echo {} + -exec curl {} +',
      String.raw`find . -okdir curl {} \;`,
      "export PAGER='curl -V'",
      "declare -x EDITOR='curl -V'",
      "readonly GIT_SSH_COMMAND='curl -V'",
      "local VISUAL='curl -V'",
      "typeset BROWSER='curl -V'",
      "git submodule foreach -q 'curl -V'",
      "git rebase -x 'curl -V' main",
      "git filter-branch --tree-filter 'curl -V' HEAD",
      "sed -i '1e curl -V' a.txt",
      "sftp -S 'curl -V' host",
      "scp -S 'curl -V' a.txt host:",
      "man -P 'curl -V' ls",
      "man --pager='curl -V' ls",
      "zip -TT 'curl -V' x.zip a.txt",
      "mapfile -tC 'curl -V' x",
      "readarray -C 'curl -V' x",
      "complete -C 'curl -V' x",
      "complete -aW 'curl -V' x",
      "rsync --rsh='curl -V' a.txt host:",
      "tar -cf x --to-command='curl -V' a.txt",
    ];
    await answered(/^deny rule$/, commands, asked);
  });

  test('is asked about where what runs is only read, or known to the shell alone', async () => {
    const commands = [
      'echo curl | xargs busybox',
      'echo curl | xargs strace',
      'git -c "$X" status',
      'git -c alias.x="$Y" x',
      'git --config-env=core.pager=X log',
      'bash --rcfile "$X" -c ls',
      'bash -c "$X"',
      'bash < a.txt',
      'GIT_CONFIG_PARAMETERS=x git log',
      'TAR_OPTIONS=x tar -cf x a.txt',
      'BASH_FUNC_x=y bash a.txt',
      'BASH_ENV=/dev/stdin bash a.txt',
      'ENV=$X sh a.txt',
      'source "$X"',
      'trap "$X" EXIT',
      "git -c 'a b=c' log",
    ];
    await answered(/^ask rule$/, commands, asked);
  });

  test('is not seen where its name is a text, a file or an argument', async () => {
    const commands = [
      'npm install curl',
      'npm run curl',
      'pnpm add curl',
      'yarn add curl',
      'bun add curl',
      'uv add curl',
      'poetry add curl',
      'conda install curl',
      'bundle add curl',
      'mise use curl',
      'find curl -name x',
      'find . curl -name x',
      'ls | xargs nice wc -l',
      'command -v curl',
      'git log fix-x curl',
      'git config user.name curl',
      'git -c user.name=curl log',
      'git -c my-alias.x=curl log',
      'MY_TAR_OPTIONS=curl npm test',
      'BASH_ENV=setup.sh bash a.txt',
      'trap - EXIT',
      'echo curl',
      'curling x',
      'cat curl',
    ];
    await answered(/^allow mode bypassPermissions$/, commands, asked);
  });
});

describe('a rule that allows a command', () => {
  test('covers it behind variables of how programs speak, and behind no others', async () => {
    const harmless = 'LANG LANGUAGE LC_ALL LC_CTYPE TZ NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LINES CI NODE_ENV RUST_BACKTRACE'.split(
      ' ',
    );
    const asked: Asked = { rules: { allow: ['Bash(npm test)'] } };
    await answered(
      /^allow rule$/,
      harmless.map((name) => `${name}=x.1 npm test`),
      asked,
    );
    const others = [...harmless.flatMap((name) => [`X${name}`, `${name}_X1`]), 'LC_', 'PATH', 'NODE_OPTIONS', 'LD_PRELOAD'];
    await answered(
      /^ask mode default$/,
      [...others.map((name) => `${name}=x npm test`), "LANG='a b' npm test", 'TERM=/x npm test', 'CI=$X npm test'],
      asked,
    );
  });

  test('of a search covers what that starts only when it names the option', async () => {
    const starts = ['-exec', '-execdir', '-ok', '-okdir'].map((option) => String.raw`find . ${option} npm test \;`);
    const changes = [
      'find src -delete',
      'find . -fprint x',
      'find . -fls x',
      'fd -x npm',
      'fd -X npm',
      'fd --exec npm',
      'fd --exec-batch npm',
    ];
    await answered(/^ask mode default$/, [...starts, ...changes, 'fdfind -x npm'], {
      rules: { allow: ['Bash(find:*)', 'Bash(fd:*)', 'Bash(fdfind:*)'] },
    });
    await answered(/^allow rule$/, ['find src -delete', 'find . -exec npm test ;'], {
      rules: { allow: ['Bash(find . -exec npm test:*)', 'Bash(find src -delete)'] },
    });
  });

  test('with stars needs every text between them, in their order', async () => {
    const asked: Asked = { rules: { allow: ['Bash(npm *--safe* test *end)'] } };
    await answered(/^allow rule$/, ['npm a --safe b test the-end', 'npm --safe test end'], asked);
    await answered(/^ask mode default$/, ['npm a test the-end', 'npm test --safe end', 'npm --safe test', 'xnpm --safe test end'], asked);
  });

  test('that begins with a star covers no program that only the shell knows', async () => {
    const asked: Asked = { rules: { allow: ['Bash(* test)'] } };
    await answered(/^allow rule$/, ['npm test', 'timeout 5 npm test'], asked);
    await answered(/^ask mode default$/, ['"$X" test', '$X test', 'npm test; "$X" test'], asked);
  });

  test('of a beginning holds at the end of a word', async () => {
    const asked: Asked = { rules: { allow: ['Bash(npm run:*)', 'Bash(make *)'] } };
    await answered(/^allow rule$/, ['npm run', 'npm run x', 'make', 'make all'], asked);
    await answered(/^ask mode default$/, ['npm runx', 'makex', 'npm', 'xmake all'], asked);
  });
});

describe('a removal of everything', () => {
  test('is seen in a search whose tests leave nearly nothing out', async () => {
    const tests = [
      '-depth',
      '-d',
      '-mindepth 1',
      '-maxdepth 3',
      '-type d',
      '-xdev',
      '-mount',
      '-noleaf',
      '-follow',
      '-print',
      '-print0',
      '-ls',
      '-true',
      "'(' -type f ')'",
      '-name x -o -true',
      '-not -name x',
      "'!' -name x",
      "-name '*'",
      "-iname '*.*'",
      "-path './*'",
      "-regex '.*'",
    ];
    const commands = [
      ...tests.map((given) => `find . ${given} -delete`),
      ...['-exec', '-execdir', '-ok', '-okdir'].map((option) => `find . ${option} rm -r {} +`),
      ...['rm', 'rmdir', 'unlink', 'shred', 'rimraf', '/bin/rm'].map((name) => `find . -exec ${name} {} +`),
      ...['-H', '-L', '-P', '-O3', '-O'].map((option) => `find ${option} . -delete`),
      'rm -rf */..',
      'rm -rf */.',
      'rm -rf .*',
      'rm -rf ?*',
      'rm --rec .',
      'rm -vR .',
      'git clean -f -d',
      'git clean -f -X',
      'git clean -ffx',
      'git rm -r --cached .',
    ];
    await answered(/^ask policy$/, commands, { mode });
  });

  test('is not seen where a search starts lower, or takes a part', async () => {
    await symlink('loop', join(workspace, 'loop'));
    const commands = [
      ...['-H', '-L', '-P', '-O3'].map((option) => `find ${option} src -delete`),
      'find . -name x -delete',
      'find . -newer a.txt -delete',
      "find . -name 'x*' -exec rm {} +",
      "find . -path './src/*' -delete",
      'rm -rf loop',
      'rm -rf src/gen/*',
      'git clean -fd src',
      'git clean -dn',
      'git clean -fd --dry-run',
      'git rm -r --cached src',
      'git checkout -d',
    ];
    await answered(/^allow mode bypassPermissions$/, commands, { mode });
  });
});
