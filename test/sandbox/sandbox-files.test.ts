// What a hostile command can see and change of the file system.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands, outputThat, waitFor } from './commands.ts';
import { withOpenRoot } from './one-command.ts';

const SECRET = 'secret-of-the-service';
/** A place like that of most data: not in /tmp. */
const base = homedir();

/** A line that tries one way with each path as $1. */
function each(paths: readonly string[], way: string): string {
  return paths.map((path) => `(set -- ${path}; ${way})`).join('\n');
}

describe('a command in the sandbox', () => {
  test('can write in its workspace, its home and its temporary directory, and what it leaves there stays', async (t) => {
    const { run, directory, home, tempDir } = await commands(t, { sandbox: true, base });
    const { output } = await run(`for f in . ${home} /tmp /var/tmp/../tmp; do echo kept >> $f/file && echo ok; done`);
    assert.equal(output, 'ok\nok\nok\nok\n');
    assert.equal(await readFile(join(directory, 'file'), 'utf8'), 'kept\n');
    assert.equal(await readFile(join(home, 'file'), 'utf8'), 'kept\n');
    assert.equal(await readFile(join(tempDir, 'file'), 'utf8'), 'kept\nkept\n');
    assert.equal((await run('cat /tmp/file; cat /var/tmp/file')).output, 'kept\nkept\nkept\nkept\n');
  });

  test('can write nowhere else', async (t) => {
    const { run, data } = await commands(t, { sandbox: true, base });
    const places = ['/', '/usr', '/usr/bin', '/etc', '/var', '/run', '/dev', '/proc', '/proc/sys/kernel', '/home', '/root', data];
    const { output } = await run(`for place in ${places.join(' ')}; do touch $place/owned 2>/dev/null && echo "$place"; done; true`);
    assert.equal(output, '');
    for (const place of places) await assert.rejects(stat(join(place, 'owned')), { code: /ENOENT|EACCES/ }, place);
  });

  test('sees nothing of the data of the service, of its keys, of other sessions and of other users', async (t) => {
    const { run, data, directory } = await commands(t, { sandbox: true, base });
    await mkdir(join(data, 'other-session'));
    for (const file of ['toolexec.sqlite', 'keys', 'other-session/file']) await writeFile(join(data, file), SECRET);
    const { output } = await run(
      `ls -A ${data}; cat ${data}/* ${data}/other-session/file; find / -path /proc -prune -o -name 'toolexec.sqlite' -print; ls /`,
    );
    assert.doesNotMatch(output, /secret|other-session\n|^keys/m);
    const top = ['bin', 'dev', 'etc', 'proc', 'run', 'sbin', 'tmp', 'usr', 'var', data.split('/')[1]];
    const listed = output.split('\n').filter((line) => /^\w+$/.test(line) && !line.startsWith('lib'));
    assert.deepEqual(new Set(listed), new Set(['home', 'workspace', ...top]), 'of the data directory its own places alone');
    const others = await run(
      'cat ~root/.ssh/id_* /root/.ssh/* /home/*/.ssh/* /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_* /etc/ssl/private/*',
    );
    assert.match(others.output, /shadow/);
    assert.doesNotMatch(others.output.replaceAll(/^cat: .*: (No such file or directory|Permission denied)\n/gm, ''), /./);
    assert.equal((await run('pwd')).output, `${directory}\n`);
  });

  test('sees nothing of the environment and the files of other processes', async (t) => {
    process.env['TOOLEXEC_TEST_CANARY'] = SECRET;
    t.after(() => delete process.env['TOOLEXEC_TEST_CANARY']);
    const { run } = await commands(t, { sandbox: true, base });
    const { output } = await run(
      `cat /proc/*/environ /proc/*/cmdline /proc/*/mountinfo | tr '\\0' '\\n'; ls -l /proc/*/fd /proc/*/cwd/ /proc/*/root/; env`,
    );
    assert.doesNotMatch(output, new RegExp(SECRET));
    assert.doesNotMatch(output, /supervisor|server\.ts/);
    const { output: pids } = await run(`ls -d /proc/[0-9]* | wc -l`);
    assert.ok(Number(pids) <= 5, pids);
  });

  test('gets no directory of the service through what it inherits', async (t) => {
    const { runner, program, run } = await commands(t, { sandbox: true, base });
    const walk = 'for fd in /proc/self/fd/* /proc/1/fd/*; do [ -d $fd/ ] && ls -A $fd/..; done; true';
    const asked = await runner.exec(program('bash', ['-c', walk]));
    for (const output of [(await run(walk)).output, asked.stdout]) assert.doesNotMatch(output, /toolexec-|workspace/);
    const { output } = await withOpenRoot('for fd in /proc/self/fd/*; do [ -d $fd/ ] && readlink $fd; done; echo none');
    assert.equal(output.replace(/^\/proc\/\d+\/fd\n/, ''), 'none\n');
  });

  test('cannot mount, unmount, make namespaces or gain rights', async (t) => {
    const { run } = await commands(t, { sandbox: true, base });
    const tries = [
      'mount -t tmpfs none /tmp',
      'mount --bind /usr /tmp',
      'mount -o remount,rw /usr',
      'mount -o remount,rw,bind /',
      'umount /usr',
      'umount -l /proc',
      'unshare -U true',
      'unshare -r true',
      'unshare -m true',
      'nsenter -t 1 -m true',
      'chroot / true',
      'mknod /tmp/disk b 8 0',
      'su -c true',
      'setpriv --reuid 12345 true',
      'grep -q "CapEff:.*[1-9a-f]" /proc/self/status',
      'grep -q "CapBnd:.*[1-9a-f]" /proc/self/status',
      'grep -q "NoNewPrivs:.*0" /proc/self/status',
    ];
    for (const line of tries) assert.notEqual((await run(line)).exitCode, 0, line);
  });

  test('that finds its own directory gone or hidden does not run somewhere else', async (t) => {
    const { run, data } = await commands(t, { sandbox: true, base });
    await mkdir(join(data, 'other-session'));
    await assert.rejects(run('pwd', { cwd: join(data, 'other-session') }), /sandbox could not be set up.*chdir/);
    await assert.rejects(run('pwd', { cwd: '/boot' }), /sandbox could not be set up.*chdir/);
  });

  test('cannot load code into what shuts it in', async (t) => {
    const { run, directory, request } = await commands(t, { sandbox: true, base });
    const outside = join(directory, 'outside');
    const { env } = request('true');
    const { output } = await run('echo "$LD_PRELOAD"', {
      env: { ...env, LD_PRELOAD: `${directory}/evil.so`, LD_DEBUG: 'files', LD_DEBUG_OUTPUT: outside },
    });
    assert.match(output, /evil\.so\n$/);
    // What the loader of a program inside writes has a number as small as those inside.
    const written = (await readdir(directory)).map((name) => Number(name.split('.')[1]));
    assert.ok(written.length > 0 && written.every((pid) => pid < 10), written.join(' '));
  });
});

describe('a session whose directories lie in /tmp', () => {
  test('has its own temporary directory elsewhere, which no link in it can make a way out', async (t) => {
    const { run, tempDir, directory } = await commands(t, { sandbox: true });
    assert.equal((await run('echo kept > $TMPDIR/file; echo $TMPDIR')).output, '/run/tmp\n');
    assert.equal(await readFile(join(tempDir, 'file'), 'utf8'), 'kept\n');
    await run(`rm -rf /tmp/* $TMPDIR/*; ln -s /etc ${directory.split('/').slice(0, 3).join('/')}; ln -s /oldroot/etc $TMPDIR/tmp`);
    const { output } = await run('pwd; cat $TMPDIR/file; echo new > /tmp/scratch && echo > /var/tmp/scratch && echo scratch');
    assert.match(output, new RegExp(`^${directory}\ncat: .*No such file or directory\nscratch\n$`));
    assert.deepEqual(await readdir(tempDir), ['tmp']);
    assert.match((await run('mktemp; touch $PWD/x', { readOnly: true })).output, /^\/var\/tmp\/.*\ntouch: .*Read-only/);
  });
});

describe('a command that only reads', () => {
  test('can write nothing that stays, and has no network', async (t) => {
    const { run, directory, home } = await commands(t, { sandbox: true, base });
    await writeFile(join(directory, 'kept'), 'kept');
    await run('echo here > /tmp/earlier');
    const readOnly = true;
    const { output } = await run(
      `cat kept /tmp/earlier; for f in . ${home} /tmp /usr /; do touch $f/new && echo written; done 2>/dev/null; rm -f kept; mv kept moved; echo x > kept`,
      { readOnly },
    );
    assert.match(output, /^kepthere\n/);
    assert.doesNotMatch(output, /written/);
    assert.equal(await readFile(join(directory, 'kept'), 'utf8'), 'kept');
    assert.deepEqual(await readdir(directory), ['kept']);
    const sorted = await run('sort -S 1M <(seq 1 300000) | tail -1; mktemp >/dev/null && echo scratch', { readOnly });
    assert.equal(sorted.output, '99999\nscratch\n', 'programs that need a place for themselves have one');
  });

  test('is what programs of the service itself are', async (t) => {
    const { runner, program, directory } = await commands(t, { sandbox: true, base });
    const { stderr, exitCode } = await runner.exec(program('touch', ['new']));
    assert.match(stderr, /Read-only file system/);
    assert.equal(exitCode, 1);
    assert.deepEqual(await readdir(directory), []);
  });

  test('leaves no trace of what is protected but missing', async (t) => {
    const { run } = await commands(t, { sandbox: ({ directory }) => ({ readOnly: [join(directory, '.vscode')] }) });
    assert.equal((await run('ls -A', { readOnly: true })).output, '');
  });
});

describe('a path that must not be read', () => {
  /** Ways to get at the content of $1 in the directory of $1. */
  const WAYS = [
    'cat "$1"',
    `perl -e 'open F, "<", $ARGV[0] or exit; print <F>' "$1"`,
    'cp "$1" copy && cat copy',
    'ln "$1" link && cat link',
    'ln -s "$1" soft && cat soft',
    'mv "$1" moved && cat moved',
    'mv "$(dirname "$1")" parent && cat parent/*',
    'cp -r "$(dirname "$1")" whole && cat whole/*',
    'chmod 777 "$1" && cat "$1"',
    'rm -f "$1" && cat "$1"',
    'tar cf - . | tr "\\0" "\\n"',
    'grep -r secret .',
    'cat "/proc/self/root$1" "/proc/1/root$1" "/proc/self/cwd/"*',
    'dd if="$1"',
  ];

  test('cannot be, whatever program and name is used, and stays where it is', async (t) => {
    const { run, directory } = await commands(t, {
      sandbox: ({ directory: root }) => ({ masked: ['.env', 'config/private/key', 'hidden'].map((path) => join(root, path)) }),
    });
    await mkdir(join(directory, 'config/private'), { recursive: true });
    await mkdir(join(directory, 'hidden'));
    const files = ['.env', 'config/private/key', 'hidden/inner'].map((path) => join(directory, path));
    for (const file of files) await writeFile(file, SECRET);
    for (const way of WAYS) {
      for (const readOnly of [false, true]) {
        const { output } = await run(each(files, way), { readOnly });
        assert.doesNotMatch(output, new RegExp(SECRET), way);
      }
    }
    for (const file of files) assert.equal(await readFile(file, 'utf8'), SECRET);
    const { output } = await run('cat .env; ls hidden');
    assert.match(output, /\.env: Permission denied\n.*hidden.*Permission denied/s, 'and the command is told so');
  });

  test('is what a link leads to as well', async (t) => {
    const { run, directory } = await commands(t, {
      sandbox: ({ directory: root }) => ({ masked: [join(root, 'link'), join(root, 'dangling')] }),
    });
    await writeFile(join(directory, 'target'), SECRET);
    await symlink('target', join(directory, 'link'));
    await symlink('nowhere', join(directory, 'dangling'));
    assert.match((await run('cat link target; rm link; cat target')).output, /^(cat: .*Permission denied\n){3}$/);
  });

  test('may hold the workspace: then nothing runs', async (t) => {
    const { run } = await commands(t, { sandbox: ({ data }) => ({ masked: [data] }) });
    await assert.rejects(run('ls'), /sandbox could not be set up/);
  });

  test('may be a file of the system', async (t) => {
    const { run } = await commands(t, { sandbox: () => ({ masked: ['/etc/passwd', '/usr/bin/env', '/etc/shadow'] }) });
    assert.match((await run('cat /etc/passwd; env')).output, /passwd: Permission denied\n.*env: Permission denied/);
  });
});

describe('a path that must not be changed', () => {
  /** Ways to get something else under the name $1. */
  const WAYS = [
    'echo evil > "$1"',
    'echo evil > "$1/evil"',
    'mkdir -p "$1" && echo evil > "$1/evil"',
    'rm -rf "$1"; echo evil > "$1"',
    'mv "$1" away; echo evil > "$1"',
    'mv "$(dirname "$1")" away; mkdir -p "$1"; echo evil > "$1/evil"; mkdir -p "$(dirname "$1")"; echo evil > "$1"',
    'rm -rf "$(dirname "$1")"; mkdir -p "$(dirname "$1")"; echo evil > "$1"',
    'echo evil > new; mv -f new "$1"; ln -f new "$1"; ln -sfn new "$1"; cp --remove-destination new "$1"',
    `perl -e 'rename "new", $ARGV[0]; unlink $ARGV[0]; rmdir $ARGV[0]; mkdir $ARGV[0]; symlink "new", $ARGV[0]' "$1"`,
    'chmod 777 "$1"; touch -d 2001-01-01 "$1"; truncate -s 0 "$1"; sed -i s/kept/evil/ "$1"',
    'ln "$1" hard && echo evil > hard; ln -s "$1" soft && echo evil > soft',
    'umount "$1"; mount -o remount,rw,bind "$1"; echo evil > "$1"',
  ];

  test('is not, whatever way is tried, and can be read', async (t) => {
    const protectedPaths = ['.git/hooks', '.git/config', '.mcp.json', 'deep/er/settings'];
    const { run, directory } = await commands(t, {
      sandbox: ({ directory: root }) => ({ readOnly: protectedPaths.map((path) => join(root, path)) }),
    });
    await mkdir(join(directory, '.git/hooks'), { recursive: true });
    await mkdir(join(directory, 'deep/er'), { recursive: true });
    const files = ['.git/hooks/pre-commit', '.git/config', '.mcp.json', 'deep/er/settings'].map((path) => join(directory, path));
    for (const file of files) await writeFile(file, 'kept', { mode: 0o644 });
    const before = await Promise.all(files.map((file) => stat(file)));
    for (const way of WAYS) {
      await run(
        each(
          protectedPaths.map((path) => join(directory, path)),
          way,
        ),
      );
      for (const file of files) assert.equal(await readFile(file, 'utf8'), 'kept', way);
    }
    const after = await Promise.all(files.map((file) => stat(file)));
    assert.deepEqual(
      after.map(({ ino, mode, mtimeMs }) => [ino, mode, mtimeMs]),
      before.map(({ ino, mode, mtimeMs }) => [ino, mode, mtimeMs]),
    );
    assert.equal(
      (await run('cat .git/hooks/* .git/config; git init -q x; echo > .git/other; ls .git/other')).output,
      'keptkept.git/other\n',
    );
  });

  test('is not made when it is missing, and nothing of that is left', async (t) => {
    const missing = ['.vscode', '.mcp.json', '.git/hooks', 'a/b/c/settings'];
    const { run, directory } = await commands(t, {
      sandbox: ({ directory: root }) => ({ readOnly: missing.map((path) => join(root, path)) }),
    });
    await mkdir(join(directory, '.git'));
    for (const way of WAYS) {
      await run(
        each(
          missing.map((path) => join(directory, path)),
          way,
        ),
      );
      for (const path of missing) await assert.rejects(stat(join(directory, path)), { code: 'ENOENT' }, `${path}: ${way}`);
      await rm(join(directory, 'new'), { force: true, recursive: true });
    }
    assert.deepEqual(
      (await readdir(directory)).filter((name) => missing.some((path) => path.startsWith(name))),
      ['.git'],
    );
    assert.deepEqual(await readdir(join(directory, '.git')), []);
  });

  test('is not made by a command that goes on while another one ends', async (t) => {
    const { run, runner, request, directory } = await commands(t, {
      sandbox: ({ directory: root }) => ({ readOnly: [join(root, '.vscode')] }),
    });
    const { seen, onOutput } = outputThat(/started/);
    const long = runner.run(request(`echo started; ${waitFor('go')}; mkdir .vscode; touch .vscode/evil`, { onOutput }));
    await seen;
    await run('true');
    await run('(while :; do mkdir .vscode; touch .vscode/evil; done) 2>/dev/null & touch go');
    await long;
    await assert.rejects(stat(join(directory, '.vscode')), { code: 'ENOENT' });
  });

  test('is left to whoever makes it outside of the sandbox meanwhile', async (t) => {
    const { run, runner, request, directory } = await commands(t, {
      sandbox: ({ directory: root }) => ({ readOnly: [join(root, '.vscode')] }),
    });
    const { seen, onOutput } = outputThat(/started/);
    const running = runner.run(request(`echo started; ${waitFor('go')}; cat .vscode/settings.json`, { onOutput }));
    await seen;
    await writeFile(join(directory, '.vscode/settings.json'), 'mine');
    await run('touch go');
    await running;
    assert.equal(await readFile(join(directory, '.vscode/settings.json'), 'utf8'), 'mine');
  });

  test('behind a link cannot be kept so: the command is refused, one that only reads is not', async (t) => {
    const { run, directory } = await commands(t, { sandbox: ({ directory: root }) => ({ readOnly: [join(root, '.git/hooks')] }) });
    await mkdir(join(directory, 'real'));
    await symlink('real', join(directory, '.git'));
    await assert.rejects(run('true'), /\.git\/hooks is protected, and the sandbox cannot .* symbolic link .*\.git: replace the link/);
    assert.equal((await run('echo read', { readOnly: true })).output, 'read\n');
  });

  test('may hold the workspace: then nothing in it is written', async (t) => {
    const { run, directory } = await commands(t, {
      sandbox: ({ data, directory: root }) => ({ readOnly: [data], masked: [join(root, 'inner/.env')] }),
    });
    await mkdir(join(directory, 'inner'));
    await writeFile(join(directory, 'inner/.env'), SECRET);
    const { output } = await run('touch new; touch inner/new; cat inner/.env');
    assert.match(output, /^touch: .*Read-only file system\ntouch: .*Read-only file system\ncat: .*Permission denied\n$/);
  });
});

describe('more directories', () => {
  test('are there as the profile says', async (t) => {
    const { run, data } = await commands(t, {
      sandbox: ({ data: root }) => ({ writable: [join(root, 'more')], readable: [join(root, 'look'), join(root, 'absent')] }),
    });
    await mkdir(join(data, 'more'));
    await mkdir(join(data, 'look/inner'), { recursive: true });
    await writeFile(join(data, 'look/file'), 'seen');
    const { output } = await run(`cd ${data}; touch more/new && cat look/file; touch look/new; touch look/inner/new; ls`);
    assert.match(output, /^seentouch: .*Read-only file system\ntouch: .*Read-only file system\nhome\nlook\nmore\nworkspace\n$/);
  });

  test('that another session swaps for links meanwhile never show what those lead to', async (t) => {
    const { run, data, directory } = await commands(t, { sandbox: ({ directory: root }) => ({ writable: [join(root, 'more')] }) });
    await mkdir(join(data, 'secret'));
    await mkdir(join(directory, 'more'));
    await writeFile(join(data, 'secret/file'), SECRET);
    const swap = 'while :; do mv more aside; ln -s ../secret more; rm more; ln -s /oldroot/etc more; rm more; mv aside more; done';
    const swapper = execFile('bash', ['-c', swap], { cwd: directory });
    const stopped = once(swapper, 'close');
    const seen = new Set<string>();
    try {
      for (let round = 0; round < 500 && (round < 40 || seen.size < 2); round += 1) {
        const output = await run('cat more/file more/hosts; ls -A more').then(
          (result) => result.output,
          () => 'refused',
        );
        assert.doesNotMatch(output, new RegExp(`${SECRET}|localhost`));
        seen.add(output === 'refused' ? 'refused' : 'ran');
      }
    } finally {
      // Its directory is removed when the test ends: it must have let go of that.
      swapper.kill('SIGKILL');
      await stopped;
    }
    assert.deepEqual(seen, new Set(['refused', 'ran']), 'the swap was met at both times');
  });

  test('do not show what is hidden in them', async (t) => {
    const { run, data } = await commands(t, {
      sandbox: ({ data: root }) => ({ readable: [root], hidden: [join(root, 'store'), join(root, 'key')] }),
    });
    await mkdir(join(data, 'store'));
    await writeFile(join(data, 'store/file'), SECRET);
    await writeFile(join(data, 'key'), SECRET);
    const { output } = await run(`cat ${data}/store/file ${data}/key; ls ${data}/store; touch ${data}/store/new; ls ${data}`);
    assert.doesNotMatch(output, new RegExp(SECRET));
    assert.match(output, /Read-only file system\nhome\nkey\n.*workspace\n$/s);
  });

  test('in too great a number of protected pieces are refused with the reason', async (t) => {
    const { run, directory } = await commands(t, {
      sandbox: ({ directory: root }) => ({ masked: Array.from({ length: 500 }, (_, index) => join(root, `file-${index}`)) }),
    });
    for (let index = 0; index < 500; index += 1) await writeFile(join(directory, `file-${index}`), '');
    await assert.rejects(run('true'), /The rules deny \d+ separate paths, more than the 400 .*: deny the directories/);
  });
});
