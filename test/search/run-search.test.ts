import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandRunner, ProgramRequest } from '../../src/contract/index.ts';
import { startCommandRunner } from '../../src/sandbox/command-runner.ts';
import { holdDirectory } from '../../src/search/held-directory.ts';
import { newestFirst } from '../../src/search/newest-first.ts';
import { listStage, ripgrepPath, WALK } from '../../src/search/ripgrep.ts';
import { runSearch } from '../../src/search/run-search.ts';
import { writeTree } from './write-tree.ts';

test('Searches', async (t) => {
  process.env['RIPGREP_CONFIG_PATH'] = '/nowhere';
  const runner = startCommandRunner();
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'toolexec-search-')));
  t.after(async () => {
    delete process.env['RIPGREP_CONFIG_PATH'];
    await runner.close();
    rmSync(root, { recursive: true });
  });
  const rg = await ripgrepPath();
  const { signal } = new AbortController();

  /** The real runner, which is asked something slightly else. */
  function asking(change: (request: ProgramRequest) => Partial<ProgramRequest>): CommandRunner {
    return { ...runner, exec: (request) => runner.exec({ ...request, ...change(request) }) };
  }

  await t.test('One that takes too long is stopped, says what to change, and counts as timed out', async () => {
    mkdirSync(join(root, 'slow'));
    writeFileSync(join(root, 'slow/big'), '');
    truncateSync(join(root, 'slow/big'), 60_000_000_000);
    await using directory = await holdDirectory(join(root, 'slow'));
    const commands = asking(() => ({ timeoutMs: 100 }));
    const stages = [[rg, ...WALK, '-e', 'needle', './big']] as const;
    const run = await runSearch({ directory, stages, maxOutputBytes: 1_000 }, { commands, sessionId: 'ses_test', signal });
    assert.ok(!run.ok);
    assert.equal(run.result.timedOut, true);
    assert.equal(run.result.isError, true);
    assert.match(JSON.stringify(run.result.content), /stopped after \d+ seconds.*smaller path/);
  });

  await t.test('Words reach the programs of a pipe as they are', async () => {
    await using directory = await holdDirectory(root);
    const words = ["it's", '$(echo no)', '`echo no`', 'a b', '*', '\\', '"', '-n', 'new\nline', ''];
    const stages = [['printf', String.raw`%s\0`, ...words], ['cat']] as const;
    const run = await runSearch({ directory, stages, maxOutputBytes: 1_000 }, { commands: runner, sessionId: 'ses_test', signal });
    assert.ok(run.ok);
    assert.deepEqual(run.stdout.split('\0').slice(0, -1), words);
  });

  await t.test('Nothing of the service’s environment reaches a search', async () => {
    await using directory = await holdDirectory(root);
    const run = await runSearch(
      { directory, stages: [['env']], maxOutputBytes: 10_000 },
      { commands: runner, sessionId: 'ses_test', signal },
    );
    assert.ok(run.ok);
    const own = run.stdout
      .trim()
      .split('\n')
      .filter((line) => !/^(OLD)?PWD=/.test(line));
    assert.deepEqual(own.toSorted(), ['LC_ALL=C', 'PATH=/usr/local/bin:/usr/bin:/bin']);
  });

  await t.test('Output beyond the limit is cut and said to be', async () => {
    await using directory = await holdDirectory(root);
    const run = await runSearch(
      { directory, stages: [['yes']], maxOutputBytes: 1_000 },
      { commands: runner, sessionId: 'ses_test', signal },
    );
    assert.ok(run.ok && run.truncated);
    assert.ok(run.stdout.length <= 1_000);
  });

  await t.test('Newest first also works where find cannot read names from a pipe', async () => {
    const tree = join(root, 'tree');
    mkdirSync(tree);
    writeTree(tree, { 'm.txt': '', 'sub/a.txt': '', 'z.txt': '' });
    utimesSync(join(tree, 'z.txt'), 499_162_500, 499_162_500);
    await using directory = await holdDirectory(tree);
    const bin = join(root, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'find'), '#!/bin/sh\necho "find: unknown predicate \'-files0-from\'" >&2\nexit 1\n');
    chmodSync(join(bin, 'find'), 0o755);
    const withOldFind = asking(({ env }) => ({ env: { ...env, PATH: `${bin}:${env['PATH']}` } }));
    for (const commands of [runner, withOldFind]) {
      const stages = (sort: readonly string[]) => [listStage(rg, { operand: './', filters: sort })] as const;
      const run = await newestFirst({ directory, stages, count: 2, maxOutputBytes: 10_000 }, { commands, sessionId: 'ses_test', signal });
      assert.deepEqual(run, { ok: true, paths: ['./m.txt', './sub/a.txt'] });
    }
  });
});
