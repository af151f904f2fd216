import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type CommandRunner } from '../../src/contract/index.ts';
import { commands } from '../sandbox/commands.ts';
import { engineOptions, runAll } from '../support/run-engine.ts';

const HELD_MS = 800;

test('commands of a call that wait side by side keep it waiting once, those in the background not at all', async (t) => {
  const { runner, request, program } = await commands(t, { maxProcesses: 1 });
  const holder = new AbortController();
  const held = runner.run(request('sleep 1000', { signal: holder.signal }));
  const startedAt = performance.now();
  const running = Promise.all([
    timesOf(runner, (own) => Promise.all([own.exec(program('true', [])), own.exec(program('true', []))])),
    timesOf(runner, (own) => own.run(request('true', { background: true }))),
  ]);
  await sleep(HELD_MS);
  holder.abort();
  const [waited, behind] = await running;
  const elapsedMs = performance.now() - startedAt;
  await held;
  assert.ok(waited.queued_ms >= HELD_MS / 2, JSON.stringify(waited));
  assert.ok(waited.queued_ms + waited.duration_ms <= elapsedMs + 1, JSON.stringify(waited));
  assert.ok(behind.queued_ms < behind.duration_ms, JSON.stringify(behind));
});

/** How long a call was kept waiting and ran that does this. */
async function timesOf(runner: CommandRunner, work: (commands: CommandRunner) => Promise<unknown>) {
  const tool = buildTool({
    name: 'Runs',
    description: () => 'Runs commands.',
    inputSchema: z.object({}),
    async call(_input, { commands: own }) {
      await work(own);
      return { content: 'ran' };
    },
  });
  const options = engineOptions([tool]);
  const services = { ...options.services, commands: runner };
  const events = await runAll([{ id: 'a', name: 'Runs', input: {} }], { ...options, services });
  const ended = events.find((event) => event.type === 'call_finished');
  assert.ok(ended?.outcome === 'ok');
  return ended;
}
