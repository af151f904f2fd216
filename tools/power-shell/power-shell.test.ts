// There is no PowerShell where these tests must run. A small program by the name of pwsh stands in for it: it takes the same
// options, decodes what it is given, and has bash run it. So the tests hold for all that is the tool's own (how it is started,
// what becomes of output, time and exit code), and say nothing of the language.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ground } from '../../test/permissions/decide.ts';
import { groupGone } from '../../test/shell/process-group.ts';
import { testPolicy } from '../../test/permissions/test-policy.ts';
import { LostCommandError, type CallContext, type CommandRunner, type ProbeAnswer } from '../../src/contract/index.ts';
import { toolHarness, type ToolCallOptions, type ToolHarness } from '../../test/support/tool-harness.ts';
import PowerShell from './index.ts';
import type { PowerShellInput } from './input.ts';
import type { PowerShellProgress } from './run.ts';
import { toolSuite } from '../../test/suites/tool.ts';

const STAND_IN = `#!/bin/bash
[ "$1 $2 $3 $4 $5 $6" = "-NoLogo -NoProfile -NonInteractive -OutputFormat Text -EncodedCommand" ] || { echo "wrong options: $*"; exit 64; }
exec bash -c "$(base64 -d <<< "$7" | iconv -f UTF-16LE -t UTF-8)"
`;

const programsOf = ({ outputs }: ToolHarness): string => join(outputs, 'programs');
const environment = (harness: ToolHarness): Record<string, string> => ({ PATH: `${programsOf(harness)}:/usr/bin:/bin` });

async function installStandIn(harness: ToolHarness): Promise<void> {
  const programs = programsOf(harness);
  await mkdir(programs);
  await writeFile(join(programs, 'pwsh'), STAND_IN);
  await chmod(join(programs, 'pwsh'), 0o755);
}

/** What a call gets. */
async function contextIn(harness: ToolHarness): Promise<CallContext> {
  let seen: CallContext | undefined;
  const looking = {
    ...PowerShell,
    call(_input: PowerShellInput, context: CallContext) {
      seen = context;
      return { content: '' };
    },
  };
  await harness.call(looking, { command: '' });
  return seen ?? assert.fail('it was not called');
}

interface Shell extends ToolHarness {
  readonly run: (input: PowerShellInput, options?: ToolCallOptions) => ReturnType<ToolHarness['call']>;
}

async function shell(t: TestContext): Promise<Shell> {
  const harness = await toolHarness(t);
  await installStandIn(harness);
  const env = environment(harness);
  return Object.assign(harness, {
    run: (input: PowerShellInput, options: ToolCallOptions = {}) =>
      harness.call(PowerShell, input, { ...options, env: { ...env, ...options.env } }),
  });
}

describe('PowerShell that was interrupted', () => {
  const run = { exitCode: 0, signal: null, stopped: null, outputBytes: 4, cwd: null };
  const asked = async (harness: ToolHarness, reattach: CommandRunner['reattach']): Promise<ProbeAnswer> => {
    const context = { ...(await contextIn(harness)), commands: { reattach } as CommandRunner };
    await writeFile(context.outputFile, 'one\n');
    return (await PowerShell.probe?.({ command: 'x' }, context)) ?? { kind: 'unclear' };
  };

  test('ends as its command does', async (t) => {
    const harness = await toolHarness(t);
    const well = await asked(harness, () => Promise.resolve(run));
    assert.deepEqual(well.kind === 'applied' && [well.result.content, well.result.isError], ['one', false]);
    const failed = await asked(harness, () => Promise.resolve({ ...run, exitCode: 3 }));
    assert.deepEqual(failed.kind === 'applied' && [failed.result.content, failed.result.isError], ['Exit code 3\none', true]);
    const never = await asked(harness, () => Promise.reject(new Error('There is no bash.')));
    assert.deepEqual(never, { kind: 'applied', result: { content: 'There is no bash.', isError: true } });
  });

  test('is unclear where nobody can tell, and shows what was printed', async (t) => {
    const lost = await asked(await toolHarness(t), () => Promise.reject(new LostCommandError()));
    assert.deepEqual(lost, { kind: 'unclear', known: 'What it printed until then:\none' });
  });
});

describe('the result of PowerShell', () => {
  test('is what was printed, both streams in order, whatever characters the command has', async (t) => {
    const { run } = await shell(t);
    const { text, result } = await run({
      command: String.raw`echo "é 😀 $((1+1)) 'x'"; printf '%s\n' 'two
lines' >&2; printf '\e[31mred\e[0m\0'`,
    });
    assert.equal(text, "é 😀 2 'x'\ntwo\nlines\nred");
    assert.equal(result.isError, false);
    assert.deepEqual({ ...(result.output as object), outputBytes: 0 }, { exitCode: 0, signal: null, stopped: null, outputBytes: 0 });
  });

  test('begins with the exit code on failure, and says when nothing was printed', async (t) => {
    const { run } = await shell(t);
    const failed = await run({ command: 'echo problem; exit 7' });
    assert.deepEqual([failed.text, failed.result.isError], ['Exit code 7\nproblem', true]);
    assert.equal((await run({ command: 'true' })).text, '(no output)');
    assert.equal((await run({ command: 'kill -SEGV $$' })).result.isError, true);
  });

  test('that is long is its head, of a failure both ends, and the whole stays in a file', async (t) => {
    const { run, outputs } = await shell(t);
    const long = await run({ command: 'seq 1 100000' });
    assert.ok(long.text.startsWith('1\n2\n') && long.text.length <= PowerShell.maxResultChars);
    assert.ok((await readFile(long.result.spilled?.path ?? '', 'utf8')).endsWith('\n100000\n'));
    const failed = await run({ command: 'seq 1 5000; exit 2' });
    assert.match(failed.text, /^Exit code 2\n1\n2\n[^]*\n\[\.{3} \d+ of \d+ bytes were left out here \.{3}\]\n[^]*\n5000$/);
    assert.ok(failed.text.length < 9_500);
    const short = await run({ command: 'echo short' });
    assert.equal(short.result.spilled, undefined);
    assert.ok(!existsSync(join(outputs, 'call-3.txt')));
  });

  test('comes from the session’s directory, with nothing of the service in its environment', async (t) => {
    const harness = await shell(t);
    process.env['TOOLEXEC_TEST_CANARY'] = 'secret-of-the-service';
    t.after(() => delete process.env['TOOLEXEC_TEST_CANARY']);
    await mkdir(join(harness.workspace, 'src'));
    harness.state = { ...harness.state, cwd: join(harness.workspace, 'src') };
    const { text } = await harness.run({ command: 'pwd; cd /; env' }, { env: { NODE_ENV: 'test' } });
    assert.ok(text.startsWith(`${harness.workspace}/src\n`));
    assert.match(text, /^NODE_ENV=test$/m);
    assert.match(text, new RegExp(`^HOME=${harness.outputs}/home$`, 'm'));
    assert.doesNotMatch(text, /secret-of-the-service/);
    assert.equal(harness.state.cwd, join(harness.workspace, 'src'));
    await rm(harness.state.cwd, { recursive: true });
    assert.equal((await harness.run({ command: 'pwd' })).text, harness.workspace);
  });
});

describe('a running PowerShell', () => {
  test('shows its output as progress', async (t) => {
    const { run } = await shell(t);
    const pieces = (await run({ command: 'echo é; echo two' })).progress as PowerShellProgress[];
    assert.equal(pieces.map(({ text }) => text).join(''), 'é\ntwo\n');
    assert.equal(pieces[0]?.offset, 0);
  });

  test('is killed at its timeout or by an abort, and what it printed is kept', async (t) => {
    const { run, workspace } = await shell(t);
    const late = await run({ command: 'echo before; sleep 1000', timeout: 700 });
    assert.match(late.text, /^Timed out after 0\.7 s: .*\nbefore$/);
    assert.deepEqual([late.result.timedOut, late.result.isError], [true, true]);
    const controller = new AbortController();
    const running = run({ command: 'echo before; touch started; sleep 1000' }, { signal: controller.signal });
    while (!existsSync(join(workspace, 'started'))) await setTimeout(10);
    controller.abort();
    assert.match((await running).text, /^Aborted: .*\nbefore$/);
  });

  test('ends when its reader leaves early', async (t) => {
    const harness = await shell(t);
    const contextOf = Promise.withResolvers<Parameters<typeof PowerShell.call>[1]>();
    const look = {
      ...PowerShell,
      call: (_: unknown, context: Parameters<typeof PowerShell.call>[1]) => (contextOf.resolve(context), { content: '' }),
    };
    await harness.call(look, { command: 'x' }, { env: { PATH: `${harness.outputs}/programs:/usr/bin:/bin` } });
    const run = PowerShell.call({ command: 'echo $$ > pid; echo ready; sleep 1000' }, await contextOf.promise);
    assert.ok(Symbol.asyncIterator in run);
    await run.next();
    await run.return({ content: '' });
    await groupGone(Number(await readFile(join(harness.workspace, 'pid'), 'utf8')));
  });
});

describe('the permission for PowerShell', () => {
  const places = ground();
  const verdict = async (
    command: string,
    {
      mode = 'default',
      allow = [],
      deny = [],
    }: { mode?: 'default' | 'bypassPermissions' | 'plan' | 'acceptEdits'; allow?: string[]; deny?: string[] } = {},
  ) => {
    const { workspace } = await places;
    const input = { command };
    const call = { toolUseId: 'toolu_1', tool: PowerShell, input, readOnly: PowerShell.isReadOnly(input) };
    const context = { sessionId: 'ses_1', workspace, env: {}, state: { cwd: workspace, mode, todos: [], loadedTools: [] } };
    return (await testPolicy({ session: { allow, ask: [], deny } }).decide(call, context)).behavior;
  };

  test('is asked for unless a rule allows the one plain command, or all of them', async () => {
    for (const mode of ['default', 'acceptEdits'] as const) assert.equal(await verdict('Get-ChildItem', { mode }), 'ask');
    assert.equal(await verdict('Get-ChildItem', { mode: 'plan' }), 'deny');
    const allow = ['PowerShell(Get-ChildItem*)'];
    assert.equal(await verdict(' Get-ChildItem -Path src\n', { allow }), 'allow');
    for (const end of ['; Remove-Item x', ' | Remove-Item', '\nRemove-Item x', ' `\n; Remove-Item x', ' $(Remove-Item x)'])
      assert.equal(await verdict(`Get-ChildItem${end}`, { allow }), 'ask', end);
    assert.equal(await verdict('a; b | c', { allow: ['PowerShell'] }), 'allow');
  });

  test('is denied by a rule wherever in the command it says so', async () => {
    const deny = ['PowerShell(Remove-Item*)'];
    for (const command of ['Remove-Item x', 'Get-ChildItem | remove-item', 'if ($x) { Remove-Item x }'])
      assert.equal(await verdict(command, { mode: 'bypassPermissions', deny }), 'deny', command);
  });

  test('is asked for in every mode when all there is may be removed', async () => {
    const { workspace } = await places;
    for (const command of [
      'Remove-Item -Recurse /',
      'rm -r ~',
      'Get-Date; ri $HOME -Recurse -Force',
      'del *',
      `Remove-Item "${workspace}/*"`,
      'Remove-Item .\\*',
    ])
      assert.equal(await verdict(command, { mode: 'bypassPermissions', allow: ['PowerShell'] }), 'ask', command);
    for (const command of ['Remove-Item build/*', 'Get-ChildItem /', 'Remove-Item a.txt', 'Format-Table *'])
      assert.equal(await verdict(command, { mode: 'bypassPermissions' }), 'allow', command);
  });

  test('is one for a call that may change anything', () => {
    const input = { command: 'Get-Date' };
    assert.deepEqual([PowerShell.isReadOnly(input), PowerShell.isConcurrencySafe(input), PowerShell.effect(input)], [false, false, 'once']);
    assert.equal(PowerShell.abortsSiblings, true);
  });
});

test('what cannot be run is refused with what to change', async () => {
  const refusal = async (command: string): Promise<string> => {
    const verdict = await PowerShell.validateInput?.({ command });
    return verdict?.ok === false ? verdict.message : 'accepted';
  };
  assert.match(await refusal(' \n'), /is empty/);
  assert.match(await refusal('a\0b'), /NUL/);
  assert.match(await refusal('x'.repeat(35_001)), /35001 characters; at most 35000/);
  assert.equal(await refusal('x'.repeat(35_000)), 'accepted');
});

test('the longest command that is accepted can be run', async (t) => {
  const { run } = await shell(t);
  assert.equal((await run({ command: `: ${'é'.repeat(34_980)}; echo done` })).text, 'done');
});

toolSuite({
  tool: PowerShell,
  input: { command: 'echo one' },
  furnish: installStandIn,
  ports: (harness) => ({ env: environment(harness) }),
  endless: { input: { command: 'sleep 1000' } },
});
