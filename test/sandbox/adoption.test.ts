// What becomes of commands when the service dies, or stands still, while they run: at the runner, with a real service.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LostCommandError } from '../../src/contract/index.ts';
import type { CommandRunnerOptions } from '../../src/sandbox/command-runner.ts';
import { orphanedSessions } from '../../src/sandbox/supervisor/orphaned-sessions.ts';
import { commands, ended, ENV, isRunning, PLACES, type Commands } from './commands.ts';

const SERVICE = fileURLToPath(new URL('children/killed-service.ts', import.meta.url));
const NEVER = new AbortController().signal;

interface Killed extends Commands {
  readonly service: { readonly pid: number; kill(signal: NodeJS.Signals): Promise<void> };
  /** Process id of the helper. */
  readonly helper: number;
  readonly outputFile: string;
  /** Private directory of the helper. */
  readonly place: string;
}

interface Asked {
  readonly sandbox?: boolean;
  readonly options?: CommandRunnerOptions;
  /** Id of its session; `null`: the command is not to be taken up. */
  readonly adoptable?: string | null;
}

/** A service that runs the line, which has printed something by now. */
async function started(t: TestContext, line: string, { sandbox = false, options = {}, adoptable = 'ses' }: Asked = {}): Promise<Killed> {
  const made = await commands(t, { sandbox });
  const { signal: _signal, ...request } = made.request(line, {
    env: { ...ENV, TEST_MARK: made.data },
    ...(adoptable !== null && { adoptable }),
  });
  const { directory, home, tempDir, data } = made;
  const told = { options, places: { directory, home, tempDir, data }, request, ...(sandbox && { system: join(data, 'system') }) };
  const child = spawn(process.execPath, [SERVICE, JSON.stringify(told)], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  for await (const text of createInterface(child.stdout)) if (text.startsWith('"')) break;
  const helper = helperOf(child.pid ?? 0);
  const words = (await readFile(`/proc/${helper}/cmdline`, 'utf8')).split('\0');
  const service = {
    pid: child.pid ?? 0,
    async kill(signal: NodeJS.Signals) {
      process.kill(service.pid, signal);
      if (signal === 'SIGKILL') await ended(service.pid);
    },
  };
  return {
    ...made,
    service,
    helper,
    outputFile: request.outputFile,
    place: words.find((word) => word.includes('toolexec-commands-')) ?? assert.fail('no helper'),
  };
}

function helperOf(service: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Number(pids.find((pid) => statOf(pid)[1] === String(service)) ?? assert.fail('no helper'));
}

function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Waits for a line of the shell's. */
const until = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.02; done`;

async function there(path: string): Promise<void> {
  for (let round = 0; round < 1_500 && !existsSync(path); round += 1) await sleep(20);
  assert.ok(existsSync(path), `${path} never came`);
}

async function gone(path: string): Promise<void> {
  for (let round = 0; round < 1_500 && existsSync(path); round += 1) await sleep(20);
  assert.equal(existsSync(path), false);
}

for (const { place: where, sandbox } of PLACES) {
  describe(`a command whose service was killed, ${where},`, () => {
    test('goes on, and is taken up with all that it prints, its end and its directory', async (t) => {
      const { runner, run, service, outputFile, directory, place, helper } = await started(
        t,
        `mkdir inner; cd inner; echo one; ${until('../go')}; echo two; exit 3`,
        { sandbox },
      );
      await service.kill('SIGKILL');
      const taken = runner.reattach(outputFile, { signal: NEVER });
      await run('touch go');
      assert.deepEqual(await taken, { exitCode: 3, signal: null, stopped: null, outputBytes: 8, cwd: join(directory, 'inner') });
      assert.equal(await readFile(outputFile, 'utf8'), 'one\ntwo\n');
      await ended(helper);
      await gone(place);
      await runner.forget(outputFile);
      assert.deepEqual(
        readdirSync(join(outputFile, '..')).filter((name) => name.startsWith('output-1.')),
        [],
      );
    });

    test('and that ended before anybody asked for it tells how, also of its signal', async (t) => {
      const { runner, run, service, outputFile, helper } = await started(t, `echo one; ${until('go')}; kill -SEGV $$`, { sandbox });
      await service.kill('SIGKILL');
      await run('touch go');
      await ended(helper);
      const { exitCode, signal, stopped } = await runner.reattach(outputFile, { signal: NEVER });
      assert.deepEqual([exitCode, signal, stopped], [null, 'SIGSEGV', null]);
    });

    test('is stopped by whoever takes it up, with all that it has started', async (t) => {
      const { runner, service, outputFile, allEnded, countRunning } = await started(t, 'echo one; sleep 1000 & sleep 1000', { sandbox });
      await service.kill('SIGKILL');
      assert.ok(countRunning() > 0);
      const controller = new AbortController();
      const taken = runner.reattach(outputFile, { signal: controller.signal });
      controller.abort();
      assert.equal((await taken).stopped, 'aborted');
      await allEnded();
    });

    test('cannot be told of when its helper was killed too, and nothing of it is left', async (t) => {
      const { runner, service, outputFile, helper, place, allEnded } = await started(t, 'echo one; sleep 1000 & sleep 1000', { sandbox });
      await service.kill('SIGKILL');
      process.kill(helper, 'SIGKILL');
      await ended(helper);
      await assert.rejects(runner.reattach(outputFile, { signal: NEVER }), LostCommandError);
      await allEnded();
      assert.equal(existsSync(place), false);
      assert.equal(await readFile(outputFile, 'utf8'), 'one\n');
    });

    test('is killed when nobody takes it up in time, and says so', async (t) => {
      const { runner, service, outputFile, helper, place, allEnded } = await started(t, 'echo one; sleep 1000 & sleep 1000', {
        sandbox,
        options: { orphanMs: 300 },
      });
      await service.kill('SIGKILL');
      await ended(helper);
      await allEnded();
      assert.equal(existsSync(place), false);
      assert.equal((await runner.reattach(outputFile, { signal: NEVER })).stopped, 'orphaned');
    });

    test('ends at once where it is not one to be taken up', async (t) => {
      const { runner, service, outputFile, helper, allEnded } = await started(t, 'echo one; sleep 1000 & sleep 1000', {
        sandbox,
        adoptable: null,
      });
      await service.kill('SIGKILL');
      await ended(helper);
      await allEnded();
      await assert.rejects(runner.reattach(outputFile, { signal: NEVER }), LostCommandError);
    });
  });

  describe(`a service that stands still, ${where},`, () => {
    test('loses its commands, which say so, and can go on with others', async (t) => {
      const { runner, service, outputFile, helper, allEnded } = await started(t, 'echo one; sleep 1000 & sleep 1000', {
        sandbox,
        options: { watchdogMs: 1_000 },
      });
      assert.ok(isRunning(helper));
      await service.kill('SIGSTOP');
      await there(`${outputFile}.exit`);
      await allEnded();
      assert.equal((await runner.reattach(outputFile, { signal: NEVER })).stopped, 'orphaned');
      assert.ok(isRunning(helper));
    });
  });
}

describe('a command that somebody attends to', () => {
  test('has no limit of time before its own: only while nobody does its time as an orphan runs', async (t) => {
    const { runner, run, service, outputFile } = await started(t, `echo one; ${until('go')}`, { options: { orphanMs: 500 } });
    await service.kill('SIGKILL');
    const taken = runner.reattach(outputFile, { signal: NEVER });
    await sleep(1_500);
    await run('touch go');
    assert.equal((await taken).exitCode, 0);
  });

  test('may have its own limit lifted', async (t) => {
    const { runner, request, run } = await commands(t);
    const { outputFile, ...limited } = request(until('go'), { timeoutMs: 1_000, adoptable: 'ses' });
    const running = runner.run({ outputFile, ...limited });
    await there(`${outputFile}.run`);
    const taken = runner.reattach(outputFile, { signal: NEVER, untimed: AbortSignal.abort() });
    await sleep(1_500);
    await run('touch go');
    assert.deepEqual([(await running).stopped, (await taken).stopped], [null, null]);
  });
});

describe('sessions whose commands were left', () => {
  test('are known for as long as nobody attends to those', async (t) => {
    const id = `ses_${process.pid}`;
    const { runner, service, outputFile, helper } = await started(t, 'echo one; sleep 1000', { adoptable: id });
    assert.equal((await orphanedSessions()).includes(id), false);
    await service.kill('SIGKILL');
    while (!(await orphanedSessions()).includes(id)) await sleep(20);
    const controller = new AbortController();
    const taken = runner.reattach(outputFile, { signal: controller.signal });
    while ((await orphanedSessions()).includes(id)) await sleep(20);
    controller.abort();
    await taken;
    await ended(helper);
  });
});

describe('what lies beside an output', () => {
  test('cannot be reached from the sandbox, nor the socket of the helper', async (t) => {
    const { run, data } = await commands(t, { sandbox: true });
    const { output } = await run(`ls -d ${data}/output-* /dev/shm/toolexec-* /tmp/toolexec-commands-* 2>/dev/null; echo done`, {
      adoptable: 'ses',
    });
    assert.equal(output, 'done\n');
  });

  test('is not believed where it is no record: nobody can tell then', async (t) => {
    const { runner, data } = await commands(t);
    const outputFile = join(data, 'forged');
    for (const text of ['', '{', '[]', '{"type":"ran","result":{"exitCode":"0"}}', `"${'x'.repeat(100_000)}"`]) {
      await writeFile(`${outputFile}.exit`, text);
      await writeFile(`${outputFile}.run`, text);
      await assert.rejects(runner.reattach(outputFile, { signal: NEVER }), LostCommandError);
    }
    await symlink('/dev/zero', `${data}/linked.exit`);
    await assert.rejects(runner.reattach(`${data}/linked`, { signal: NEVER }), LostCommandError);
  });
});
