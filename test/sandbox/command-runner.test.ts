import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { commands, PLACES, waitFor, type Piece } from './commands.ts';

for (const { place, sandbox } of PLACES) {
  describe(`a command, ${place},`, () => {
    test('tells its exit code, its size and where its shell ended', async (t) => {
      const { run, directory } = await commands(t, { sandbox });
      await mkdir(join(directory, 'inner'));
      const { output, pieces, ...result } = await run('echo hello; cd inner; exit 3');
      assert.deepEqual(result, { exitCode: 3, signal: null, stopped: null, outputBytes: 6, cwd: join(directory, 'inner') });
      assert.equal(output, 'hello\n');
      assert.deepEqual(pieces, [{ offset: 0, text: 'hello\n' }]);
    });

    test('tells which signal ended it', async (t) => {
      const { run } = await commands(t, { sandbox });
      const result = await run('kill -SEGV $$');
      assert.equal(result.exitCode, null);
      assert.equal(result.signal, 'SIGSEGV');
      assert.equal(result.stopped, null);
    });

    test('has its standard output and error in the order in which they were printed', async (t) => {
      const { run } = await commands(t, { sandbox });
      const { output } = await run('for i in 1 2 3 4 5; do echo "out $i"; echo "err $i" >&2; done');
      assert.equal(output, [1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join(''));
    });

    test('can open /dev/stdout and /dev/stderr again without losing what was printed before', async (t) => {
      const { run } = await commands(t, { sandbox });
      const { output, exitCode } = await run(
        'echo one; echo two > /dev/stdout; echo three | tee /dev/stderr; echo four >> /proc/self/fd/2',
      );
      assert.equal(output, 'one\ntwo\nthree\nthree\nfour\n');
      assert.equal(exitCode, 0);
    });

    test('finds its standard input empty', async (t) => {
      const { run } = await commands(t, { sandbox });
      const { output, exitCode } = await run('cat; read -r line; echo "read: $?"');
      assert.equal(output, 'read: 1\n');
      assert.equal(exitCode, 0);
    });

    test('sees its own line numbers and nothing of what runs around it', async (t) => {
      const { run } = await commands(t, { sandbox });
      const missing = await run('true\nnosuchprogram');
      assert.match(missing.output, /line 2: nosuchprogram: command not found/);
      assert.equal(missing.exitCode, 127);
      const broken = await run('if true; then echo x');
      assert.match(broken.output, /line \d: syntax error/);
      assert.doesNotMatch(broken.output, /trap|exec|pwd/);
      const traced = await run('set -x; true');
      assert.equal(traced.output, '+ true\n');
    });

    test('gets the environment it was given and nothing of the service', async (t) => {
      process.env['TOOLEXEC_TEST_CANARY'] = 'secret-of-the-service';
      t.after(() => delete process.env['TOOLEXEC_TEST_CANARY']);
      const { run } = await commands(t, { sandbox });
      const own = await run('env', { env: { PATH: '/usr/bin:/bin', GREETING: 'hello' } });
      const names = own.output.split('\n').flatMap((line) => line.split('=', 1));
      // In a sandbox temporary files have a place of their own.
      const given = sandbox ? ['GREETING', 'PATH', 'TMPDIR'] : ['GREETING', 'PATH'];
      assert.deepEqual(names.filter((name) => !/^(PWD|OLDPWD|SHLVL|_|)$/.test(name)).toSorted(), given);
      const parents = await run(`cat /proc/$PPID/environ; tr '\\0' ' ' < /proc/$PPID/cmdline`);
      assert.match(parents.output, sandbox ? /bwrap/ : /supervisor/);
      assert.doesNotMatch(own.output + parents.output, /secret-of-the-service/);
    });

    test('may use descriptor 3 and the EXIT trap for itself', async (t) => {
      const { run, directory } = await commands(t, { sandbox });
      const third = await run('exec 3> third; echo mine >&3; cd /');
      assert.equal(await readFile(join(directory, 'third'), 'utf8'), 'mine\n');
      assert.equal(third.cwd, '/');
      const trapped = await run('trap "echo bye" EXIT; cd /');
      assert.equal(trapped.output, 'bye\n');
      assert.equal(trapped.cwd, null);
    });

    test('whose directory cannot be told ends with an unknown one', async (t) => {
      const { run } = await commands(t, { sandbox });
      assert.equal((await run('mkdir gone; cd gone; rmdir ../gone')).cwd, null);
      assert.equal((await run('cd /; exec true')).cwd, null);
      assert.equal((await run('cd /; kill -KILL $$')).cwd, null);
    });

    test('writes into a new file that only its owner can read', async (t) => {
      const { run, request, runner, directory } = await commands(t, { sandbox });
      const outputFile = join(directory, 'kept');
      await run('echo first', { outputFile });
      assert.equal((await stat(outputFile)).mode & 0o777, 0o600);
      await assert.rejects(runner.run(request('echo second', { outputFile })), /output could not be created|EEXIST/);
      assert.equal(await readFile(outputFile, 'utf8'), 'first\n');
    });

    test('that prints nothing has no file, unless it goes on in the background, where people look for one', async (t) => {
      const { request, runner, directory } = await commands(t, { sandbox });
      const silent = request('true');
      assert.equal((await runner.run(silent)).outputBytes, 0);
      assert.equal(existsSync(silent.outputFile), false);
      const untimed = new AbortController();
      const moved = request(waitFor('go'), { untimed: untimed.signal });
      const running = runner.run(moved);
      untimed.abort();
      while (!existsSync(moved.outputFile)) await sleep(5);
      await writeFile(join(directory, 'go'), '');
      assert.deepEqual([(await running).outputBytes, (await stat(moved.outputFile)).mode & 0o777], [0, 0o600]);
    });
  });

  describe(`a command that cannot run, ${place},`, () => {
    test('because of a NUL character or its length is refused with the reason', async (t) => {
      const { run } = await commands(t, { sandbox });
      await assert.rejects(run('echo a\0b'), /NUL/);
      await assert.rejects(run(`: ${'x'.repeat(100_000)}`), /100002 characters; at most 100000/);
      await assert.rejects(run(`: ${'語'.repeat(50_000)}`), /131071 bytes/);
      assert.equal((await run(`: ${'x'.repeat(99_998)}`)).exitCode, 0);
    });

    test('because its directory is gone or its environment too large says so', async (t) => {
      const { run, directory } = await commands(t, { sandbox });
      await assert.rejects(run('true', { cwd: join(directory, 'missing') }), /working directory .*missing does not exist/);
      await assert.rejects(run('true', { env: { BIG: 'x'.repeat(200_000) } }), /too long/);
      assert.equal((await run('echo still works')).output, 'still works\n');
    });
  });

  describe(`live output, ${place},`, () => {
    test('comes while the command runs, with offsets that fit together', async (t) => {
      const { run, directory } = await commands(t, { sandbox });
      const pieces: Piece[] = [];
      const onOutput = (piece: Piece) => {
        pieces.push(piece);
        writeFileSync(join(directory, `seen-${pieces.length}`), '');
      };
      const { output } = await run(`echo one é; ${waitFor('seen-1')}; echo two; ${waitFor('seen-2')}; echo three`, { onOutput });
      assert.deepEqual(pieces, [
        { offset: 0, text: 'one é\n' },
        { offset: 7, text: 'two\n' },
        { offset: 11, text: 'three\n' },
      ]);
      assert.equal(pieces.map((piece) => piece.text).join(''), output);
    });

    test('never splits a character, however slowly its bytes come', async (t) => {
      const { run, directory } = await commands(t, { sandbox });
      const pieces: Piece[] = [];
      const onOutput = (piece: Piece) => {
        pieces.push(piece);
        writeFileSync(join(directory, 'seen'), '');
      };
      await run(String.raw`printf 'a\xf0\x9f'; ${waitFor('seen')}; printf '\x98'; sleep 0.1; printf '\x80b'`, { onOutput });
      assert.deepEqual(pieces, [
        { offset: 0, text: 'a' },
        { offset: 1, text: '😀b' },
      ]);
    });

    test('shows bytes that are no text as such, and keeps them in the file', async (t) => {
      const { run, request, runner } = await commands(t, { sandbox });
      const command = String.raw`printf 'a\xff\xfeb\xf0\x9f'`;
      assert.equal((await run(command)).pieces.map((piece) => piece.text).join(''), 'a\ufffd\ufffdb\ufffd');
      const kept = request(command);
      await runner.run(kept);
      assert.deepEqual([...(await readFile(kept.outputFile))], [0x61, 0xff, 0xfe, 0x62, 0xf0, 0x9f]);
    });

    test('may be thrown away', async (t) => {
      const { runner, request, directory } = await commands(t, { sandbox });
      await writeFile(join(directory, 'text'), 'x'.repeat(100_000));
      const { onOutput: _, ...silent } = request('cat text');
      assert.equal((await runner.run(silent)).outputBytes, 100_000);
    });
  });
}
