import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CommandRunner, Tool } from '../../src/contract/index.ts';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { groupGone } from '../../test/shell/process-group.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import bash from './index.ts';
import type { BashProgress } from './run.ts';

/** What a policy and the partition are told of a line. */
const safety = (command: string) => ({
  safe: bash.isConcurrencySafe({ command }),
  reads: bash.isReadOnly({ command }),
  destroys: bash.isDestructive({ command }),
  effect: bash.effect({ command }),
});

describe('the result of Bash', () => {
  test('is what the command printed, both streams in order', async (t) => {
    const harness = await toolHarness(t);
    const { result, text } = await harness.call(bash, { command: 'echo one; echo two >&2; printf three' });
    assert.equal(text, 'one\ntwo\nthree');
    assert.equal(result.isError, false);
    assert.deepEqual(result.output, { exitCode: 0, signal: null, stopped: null, outputBytes: 13 });
  });

  test('begins with the exit code on failure', async (t) => {
    const harness = await toolHarness(t);
    const { result, text } = await harness.call(bash, { command: 'echo problem; exit 7' });
    assert.equal(text, 'Exit code 7\nproblem');
    assert.equal(result.isError, true);
    assert.equal((await harness.call(bash, { command: 'kill -SEGV $$' })).text, 'Killed by signal SIGSEGV\n(no output)');
  });

  test('says when nothing was printed', async (t) => {
    const harness = await toolHarness(t);
    assert.equal((await harness.call(bash, { command: 'true' })).text, '(no output)');
    assert.equal((await harness.call(bash, { command: 'false' })).text, 'Exit code 1\n(no output)');
  });

  test('is no error when exit code 1 is an answer', async (t) => {
    const harness = await toolHarness(t);
    await writeFile(join(harness.workspace, 'a'), 'one\n');
    for (const command of ['grep two a', 'cat a | grep two', 'diff a /dev/null', 'test -f missing', 'which nosuchprogram']) {
      assert.equal((await harness.call(bash, { command })).result.isError, false, command);
    }
    for (const command of ['grep two missing', 'grep two a; false', 'grep two a | false']) {
      assert.equal((await harness.call(bash, { command })).result.isError, true, command);
    }
  });

  test('shows no terminal escapes and no NUL, and bytes that are no text as such; live output keeps them', async (t) => {
    const harness = await toolHarness(t);
    const command = String.raw`printf '\e]0;title\a\e[31mred\e[0m \0\xff é'`;
    for (const [end, expected] of [
      ['', 'red \ufffd é'],
      ['; exit 3', 'Exit code 3\nred \ufffd é'],
    ] as const) {
      const { text, progress } = await harness.call(bash, { command: command + end });
      assert.equal(text, expected);
      const live = (progress as BashProgress[]).map((piece) => piece.text).join('');
      assert.ok(live.includes('\u001b[31mred') && live.includes('\0'));
    }
  });

  test('that is long keeps escapes and NUL in the output file', async (t) => {
    const harness = await toolHarness(t);
    const { text, result } = await harness.call(bash, {
      command: String.raw`for n in {1..9000}; do printf '\e[32mline\e[0m\0 %d\n' $n; done`,
    });
    assert.ok(text.startsWith('line 1\nline 2\n') && !text.includes('\0') && !text.includes('\u001b'));
    const whole = await readFile(result.spilled?.path ?? '', 'utf8');
    assert.ok(whole.startsWith('\u001b[32mline\u001b[0m\0 1\n') && whole.endsWith(' 9000\n'));
  });

  test('that is long is its head, and the whole stays in the output file', async (t) => {
    const harness = await toolHarness(t);
    const { result, text } = await harness.call(bash, { command: 'seq 1 100000' });
    assert.ok(text.length <= bash.maxResultChars);
    assert.ok(text.startsWith('1\n2\n3\n'));
    const whole = await readFile(result.spilled?.path ?? '', 'utf8');
    assert.equal(result.spilled?.bytes, whole.length);
    assert.ok(whole.startsWith(text) && whole.endsWith('99999\n100000\n'));
  });

  test('of a failing command is its beginning and its end, and names what was left out', async (t) => {
    const harness = await toolHarness(t);
    const { result, text } = await harness.call(bash, { command: 'seq 1 3000; echo the cause; exit 2' });
    assert.match(text, /^Exit code 2\n1\n2\n3\n[^]*\n2999\n3000\nthe cause$/);
    const whole = await readFile(result.spilled?.path ?? '', 'utf8');
    const [gap, leftOut] = /\n\[\.\.\. (\d+) of 13903 bytes were left out here \.\.\.\]\n/.exec(text) ?? assert.fail(text);
    const [head = '', tail = ''] = text.slice('Exit code 2\n'.length).split(gap);
    assert.ok(whole.startsWith(head) && whole.endsWith(`${tail}\n`));
    assert.ok(Math.abs(whole.length - head.length - tail.length - Number(leftOut)) <= 2, 'but for line ends the number is right');
    assert.ok(text.length < 9_500, String(text.length));
  });

  test('of a failing command is whole when it is short, with no file beside it', async (t) => {
    const harness = await toolHarness(t);
    const { result, text } = await harness.call(bash, { command: 'seq 1 1500; exit 2' });
    assert.ok(!text.includes('left out') && text.endsWith('\n1500'));
    assert.equal(result.spilled, undefined);
    assert.deepEqual(await readdir(harness.outputs), ['home']);
  });

  test('of a command that was killed shows what it printed last', async (t) => {
    const harness = await toolHarness(t);
    for (const input of [{ command: 'seq 1 3000; sleep 1000', timeout: 900 }, { command: 'seq 1 3000; kill -9 $$' }]) {
      const { text, result } = await harness.call(bash, input);
      assert.match(text, /\n1\n2\n[^]*left out here[^]*\n2999\n3000$/);
      assert.ok(result.spilled);
    }
  });

  test('shows the end as well when an exit code other than 0 is no failure', async (t) => {
    const harness = await toolHarness(t);
    const { text, result } = await harness.call(bash, { command: 'seq 1 20000 > a; diff a /dev/null' });
    assert.equal(result.isError, false);
    assert.match(text, /^Exit code 1\n1,20000d0\n< 1\n[^]*left out here[^]*\n< 20000$/);
  });

  test('leaves no file behind when all of it is shown', async (t) => {
    const harness = await toolHarness(t);
    const { result } = await harness.call(bash, { command: 'echo short' });
    assert.equal(result.spilled, undefined);
    assert.equal(existsSync(join(harness.outputs, 'call-1.txt')), false);
  });
});

describe('a running command', () => {
  test('shows its output as progress', async (t) => {
    const harness = await toolHarness(t);
    const { progress } = await harness.call(bash, { command: 'echo é; echo two' });
    const pieces = progress as BashProgress[];
    assert.deepEqual(
      { ...pieces[0], text: pieces.map(({ text }) => text).join('') },
      { kind: 'output', stream: 'stdout', offset: 0, text: 'é\ntwo\n' },
    );
  });

  test('is killed at its timeout, and what it printed is kept', async (t) => {
    const harness = await toolHarness(t);
    const { result, text } = await harness.call(bash, { command: 'echo before; sleep 1000; echo after', timeout: 700 });
    assert.match(text, /^Timed out after 0\.7 s: .*\nbefore$/);
    assert.equal(result.timedOut, true);
    assert.equal(result.isError, true);
  });

  test('is killed by an abort, and what it printed is kept', async (t) => {
    const harness = await toolHarness(t);
    const controller = new AbortController();
    const started = join(harness.workspace, 'started');
    const running = harness.call(bash, { command: 'echo before; touch started; sleep 1000' }, { signal: controller.signal });
    while (!existsSync(started)) await setTimeout(10);
    controller.abort();
    const { result, text } = await running;
    assert.match(text, /^Aborted: .*\nbefore$/);
    assert.equal(result.isError, true);
    assert.equal(result.timedOut, undefined);
  });

  test('ends when its reader leaves early', async (t) => {
    const harness = await toolHarness(t);
    const contextOf = Promise.withResolvers<Parameters<typeof bash.call>[1]>();
    await harness.call({ ...bash, call: (_, context) => (contextOf.resolve(context), { content: '' }) }, { command: 'true' });
    const run = bash.call({ command: 'echo $$ > pid; echo ready; sleep 1000' }, await contextOf.promise);
    assert.ok(Symbol.asyncIterator in run);
    await run.next();
    await run.return({ content: '' });
    const pid = Number(await readFile(join(harness.workspace, 'pid'), 'utf8'));
    await groupGone(pid);
  });

  test('may not print without end', async (t) => {
    const harness = await toolHarness(t);
    const { result, text } = await harness.call(bash, { command: 'yes "$(head -c 1000 /dev/zero | tr "\\0" y)"' });
    assert.match(text, /^Killed: the command printed more than 134217728 bytes/);
    assert.equal(result.isError, true);
    assert.equal((await stat(result.spilled?.path ?? '')).size, 134_217_728);
  });
});

describe('the working directory', () => {
  test('is carried over inside the workspace', async (t) => {
    const harness = await toolHarness(t);
    await mkdir(join(harness.workspace, 'src/deep'), { recursive: true });
    await harness.call(bash, { command: 'cd src/deep' });
    assert.equal(harness.state.cwd, join(harness.workspace, 'src/deep'));
    assert.equal((await harness.call(bash, { command: 'pwd' })).text, join(harness.workspace, 'src/deep'));
    await harness.call(bash, { command: 'cd ..; grep -q x /dev/null' });
    assert.equal(harness.state.cwd, join(harness.workspace, 'src'));
  });

  test('is reset to the workspace when a command leaves it, with a note', async (t) => {
    const harness = await toolHarness(t);
    await mkdir(join(harness.workspace, 'src'));
    for (const command of ['cd src; cd /usr', 'ln -s /usr link; cd link; pwd']) {
      const { text } = await harness.call(bash, { command });
      assert.match(text, /\[The working directory was reset to .*: \/usr is outside the workspace\.\]$/);
      assert.equal(harness.state.cwd, harness.workspace);
    }
    const near = `${harness.workspace}-beside`;
    await mkdir(near);
    assert.match((await harness.call(bash, { command: `cd '${near}'` })).text, /reset/);
  });

  test('stays where it is when the command fails', async (t) => {
    const harness = await toolHarness(t);
    await mkdir(join(harness.workspace, 'src'));
    const { text } = await harness.call(bash, { command: 'cd src; false' });
    assert.match(text, /^Exit code 1\n\(no output\)\n\[The working directory is still .*\]$/);
    assert.equal(harness.state.cwd, harness.workspace);
  });

  test('that no longer exists is replaced by the workspace, with a note', async (t) => {
    const harness = await toolHarness(t);
    await mkdir(join(harness.workspace, 'gone'));
    await harness.call(bash, { command: 'cd gone' });
    await rm(join(harness.workspace, 'gone'), { recursive: true });
    const { text } = await harness.call(bash, { command: 'pwd' });
    assert.equal(
      text,
      `${harness.workspace}\n[The working directory ${harness.workspace}/gone no longer exists: the command ran in ${harness.workspace}.]`,
    );
    assert.equal(harness.state.cwd, harness.workspace);
  });
});

describe('the environment of a command', () => {
  test('is a safe base and what the session adds, nothing of the service', async (t) => {
    const added = { TOOLEXEC_TEST_CANARY: 'secret-of-the-service', npm_config_secret: 'secret-of-npm' };
    Object.assign(process.env, added);
    t.after(() => {
      for (const name of Object.keys(added)) delete process.env[name];
    });
    const harness = await toolHarness(t);
    const { text } = await harness.call(bash, { command: 'env' }, { env: { NODE_ENV: 'test' } });
    const names = text.split('\n').map((line) => line.split('=', 1)[0]);
    assert.deepEqual(
      new Set(names),
      new Set(['EMAIL', 'HOME', 'LANG', 'NODE_ENV', 'PATH', 'PWD', 'SHELL', 'SHLVL', 'TERM', 'TMPDIR', 'USER', '_']),
    );
    assert.doesNotMatch(text, /secret/);
  });

  test('has a private home that is not the workspace', async (t) => {
    const harness = await toolHarness(t);
    const home = (await harness.call(bash, { command: 'cd ~ && echo kept > file; pwd' })).text.split('\n')[0] ?? '';
    assert.equal((await stat(home)).mode & 0o777, 0o700);
    assert.ok(!(await realpath(home)).startsWith(harness.workspace));
    assert.equal((await harness.call(bash, { command: 'cat ~/file' })).text, 'kept');
  });

  test("keeps a repository's settings from running programs in git commands that only read", async (t) => {
    const harness = await toolHarness(t);
    await harness.call(bash, {
      command: 'git init -q && printf "#!/bin/sh\\ntouch ran\\n" > evil && git config core.fsmonitor "$PWD/evil"',
    });
    await chmod(join(harness.workspace, 'evil'), 0o755);
    assert.match((await harness.call(bash, { command: 'git status --short' })).text, /\?\? evil/);
    assert.equal(existsSync(join(harness.workspace, 'ran')), false);
  });

  test('gives git in a reading command none of the variables of the session that name programs', async (t) => {
    const harness = await toolHarness(t);
    await harness.call(bash, {
      command: 'git init -q && echo a > a && git add a && echo b > a && printf "#!/bin/sh\\ntouch ran\\n" > evil && chmod +x evil',
    });
    const env = { GIT_EXTERNAL_DIFF: join(harness.workspace, 'evil') };
    assert.match((await harness.call(bash, { command: 'git diff' }, { env })).text, /\+b/);
    assert.equal(existsSync(join(harness.workspace, 'ran')), false);
  });
});

describe('a git command that was judged to only read', () => {
  /** What makes git run a program in a reading command, as the files of a repository. */
  const hostile = {
    'a text conversion': 'git config diff.x.textconv ./evil; echo "* diff=x" > .gitattributes',
    'a filter': 'git config filter.x.clean ./evil; echo "* filter=x" > .gitattributes',
    'an external diff': 'git config diff.external ./evil',
    'an included file': 'git config include.path ../more; git config -f more diff.external ./evil',
    'a submodule that is looked into': 'git config -f .gitmodules submodule.x.path x; git config -f .gitmodules submodule.x.ignore none',
  };

  for (const [name, commands] of Object.entries(hostile)) {
    test(`is not run where the repository configures ${name}, and says which key it is`, async (t) => {
      const harness = await toolHarness(t);
      await harness.call(bash, {
        command: `git init -q; printf '#!/bin/sh\ntouch ran\n' > evil; chmod +x evil; echo a > a; git add a; echo b > a; ${commands}`,
      });
      await rm(join(harness.workspace, 'ran'), { force: true });
      const { result, text } = await harness.call(bash, { command: 'git diff | head' });
      assert.equal(result.isError, true);
      assert.match(text, /^Not run: .*\((diff\.x\.textconv|filter\.x\.clean|diff\.external|submodule\.x\.ignore)\)/);
      assert.equal(existsSync(join(harness.workspace, 'ran')), false);
      // What starts nothing is not asked about, and neither is a line that was never taken for reading.
      assert.equal((await harness.call(bash, { command: 'git branch --list' })).result.isError, false);
      assert.equal((await harness.call(bash, { command: 'git -c core.pager=cat diff > /dev/null; true' })).result.isError, false);
    });
  }

  test('runs where there is no repository, and where drivers are named by nobody', async (t) => {
    const harness = await toolHarness(t);
    assert.match((await harness.call(bash, { command: 'git status' })).text, /not a git repository/);
    await harness.call(bash, { command: 'git init -q; echo "* diff=x" > .gitattributes; mkdir b' });
    assert.match((await harness.call(bash, { command: 'git status --short' })).text, /\.gitattributes/);
  });

  test('is told to the runner as reading, and other lines are not', async (t) => {
    const harness = await toolHarness(t);
    const told: (boolean | undefined)[] = [];
    const commands: CommandRunner = {
      exec: async () => ({ exitCode: 0, stdout: '', stderr: '', truncated: false, stopped: null }),
      reattach: () => assert.fail('nothing was left'),
      forget: () => Promise.resolve(),
      run: async ({ readOnly, outputFile }) => {
        told.push(readOnly);
        await writeFile(outputFile, '');
        return { exitCode: 0, signal: null, stopped: null, outputBytes: 0, cwd: null };
      },
    };
    for (const command of ['git status', 'ls', 'touch x']) await harness.call(bash, { command }, { commands });
    assert.deepEqual(told, [true, true, false]);
  });

  test('is not run when the repository cannot be asked', async (t) => {
    const harness = await toolHarness(t);
    const commands: CommandRunner = {
      exec: async () => ({ exitCode: null, stdout: '', stderr: '', truncated: false, stopped: 'timeout' }),
      reattach: () => assert.fail('nothing was left'),
      forget: () => Promise.resolve(),
      run: () => Promise.reject(new Error('was run')),
    };
    assert.match((await harness.call(bash, { command: 'git status' }, { commands })).text, /^Not run: .*could not be read/);
  });
});

describe('what Bash tells of a line before it runs', () => {
  test('reading ones may run beside others, unless they change the directory', () => {
    assert.deepEqual(safety('git status && ls | head'), { safe: true, reads: true, destroys: false, effect: 'read' });
    assert.deepEqual(safety('sleep 5; tail -f app.log'), { safe: true, reads: true, destroys: false, effect: 'read' });
    assert.deepEqual(safety('cd src && ls'), { safe: false, reads: true, destroys: false, effect: 'read' });
    assert.deepEqual(safety('npm test'), { safe: false, reads: false, destroys: false, effect: 'once' });
    assert.deepEqual(safety('rm -rf build'), { safe: false, reads: false, destroys: true, effect: 'once' });
  });

  test('those that lose work are destructive', () => {
    for (const command of [
      'git reset --hard',
      'git clean -fd',
      'sudo rm x',
      'ls | xargs rm',
      'find . -delete',
      'find . -exec rm {} +',
      'git push --force',
      'a && (rm -r b)',
    ]) {
      assert.ok(bash.isDestructive({ command }), command);
    }
    for (const command of [
      'echo rm -rf',
      'git status',
      'git reset',
      'mkdir rm',
      'git push',
      'find . -name rm',
      'grep -r "git reset --hard" .',
    ]) {
      assert.ok(!bash.isDestructive({ command }), command);
    }
  });

  test('its input is checked with messages that say what to change', async () => {
    const check = async (input: Parameters<NonNullable<typeof bash.validateInput>>[0]) => bash.validateInput?.(input);
    assert.deepEqual(await check({ command: 'ls', timeout: 1e9 }), { ok: true });
    const messageOf = async (input: Parameters<typeof check>[0]) => {
      const answer = await check(input);
      return answer?.ok === false ? answer.message : '';
    };
    assert.match(await messageOf({ command: 'a\0b' }), /NUL/);
    assert.match(await messageOf({ command: ' \n' }), /empty/);
    assert.match(await messageOf({ command: 'x'.repeat(100_001) }), /100001 characters/);
  });

  test('its parameters are those that its schema names, and others are refused', () => {
    const tool = bash as unknown as Tool;
    assert.deepEqual(Object.keys(inputJsonSchema(tool)['properties'] as object), [
      'command',
      'timeout',
      'description',
      'run_in_background',
    ]);
    assert.ok(inputValidator(tool)({ command: 'ls', run_in_background: true }).ok);
    const checked = inputValidator(tool)({ command: 'ls', shell: 'zsh' });
    assert.ok(!checked.ok);
    assert.deepEqual(
      checked.issues.map(({ kind, path }) => `${kind} ${path.join('.')}`),
      ['unexpected shell'],
    );
  });

  test('policies are shown the whole command', () => {
    const context = {
      sessionId: 's',
      workspace: '/w',
      env: {},
      state: { cwd: '/w', mode: 'default', todos: [], loadedTools: [] },
    } as const;
    assert.deepEqual(bash.permissionSubjects({ command: 'ls' }, context), [{ kind: 'command', command: 'ls' }]);
    assert.equal(bash.toAutoClassifierInput({ command: 'ls' }), 'ls');
    assert.ok(bash.abortsSiblings);
  });

  test('its views are terminals', () => {
    assert.deepEqual(bash.renderUse({ command: 'ls -l', description: 'List files' }), {
      title: 'List files',
      body: { kind: 'terminal', text: '$ ls -l' },
    });
    const output = { exitCode: 2, signal: null, stopped: null, outputBytes: 3 };
    assert.deepEqual(bash.renderResult({ command: 'ls\nls' }, { content: 'Exit code 2\nno', output }), {
      title: 'Bash ls',
      subtitle: 'exit code 2',
      body: { kind: 'terminal', text: 'Exit code 2\nno' },
    });
  });
});
