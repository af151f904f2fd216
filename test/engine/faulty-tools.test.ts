// Tools that give what nobody can use cost their own call, and no other.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Tool } from '../../src/contract/index.ts';
import { Channel } from '../../src/engine/release/channel.ts';
import { engineOptions, outcomes, results, resultText, runAll, use } from '../support/run-engine.ts';
import { workTool } from '../support/test-tools.ts';

const never = new Promise<never>(() => {});

function faulty(name: string, parts: Partial<Tool>): Tool {
  return buildTool({
    name,
    inputSchema: z.looseObject({}),
    description: () => '',
    isConcurrencySafe: () => true,
    call: () => ({ content: 'ok' }),
    ...parts,
  });
}

describe('a result that is no result', () => {
  for (const content of [
    [null],
    [{ type: 'text' }],
    [{ type: 'nope', text: 'x' }],
    [{ type: 'image' }],
    42,
    null,
    { type: 'text', text: 'x' },
  ]) {
    test(`${JSON.stringify(content)} is an error of that call alone`, async () => {
      const tool = faulty('Bad', { call: () => ({ content }) as never });
      const events = await runAll([use('a', 'Bad'), use('b', 'Work')], engineOptions([tool, workTool()]));
      assert.deepEqual(outcomes(events), ['a tool_error', 'b ok']);
      assert.match(resultText(results(events)[0]), /gave no result/);
    });
  }
});

test('a check that never answers is closed when its time is over', async () => {
  const validate = faulty('Validate', { timeoutMs: 40, validateInput: () => never });
  const policy = {
    decide: (call: { tool: Tool }) => (call.tool.name === 'Ask' ? never : { behavior: 'allow' as const, decided_by: 'test' }),
  };
  const events = await runAll(
    [use('a', 'Validate'), use('b', 'Ask'), use('c', 'Work')],
    engineOptions([validate, faulty('Ask', { timeoutMs: 40 }), workTool()], { policy }),
  );
  assert.deepEqual(outcomes(events), ['a timed_out', 'b timed_out', 'c ok']);
});

test('a stream of nonsense is closed, and its clean-up runs', async () => {
  let cleaned = false;
  const tool = faulty('Nonsense', {
    async *call() {
      try {
        yield null as never;
        return { content: 'never' };
      } finally {
        cleaned = true;
      }
    },
  });
  assert.deepEqual(outcomes(await runAll([use('a', 'Nonsense')], engineOptions([tool]))), ['a tool_error']);
  await sleep(0);
  assert.ok(cleaned);
});

test('an unsafe call’s change of context is told at once, while more calls may still come', async () => {
  const tool = faulty('Move', {
    isConcurrencySafe: () => false,
    call: () => ({ content: 'ok', contextModifier: (state) => ({ ...state, cwd: '/w/sub' }) }),
  });
  const calls = new Channel<ReturnType<typeof use>>();
  calls.push(use('a', 'Move'));
  const events: string[] = [];
  const { runTools } = await import('../../src/engine/run-tools.ts');
  for await (const batch of runTools(calls, engineOptions([tool]))) {
    events.push(...batch.map(({ type }) => type));
    if (events.includes('context_changed')) calls.close();
  }
  assert.equal(events.at(-1), 'context_changed');
});

test('a discard after an abort still drops the results', async () => {
  const options = engineOptions([workTool()]);
  setTimeout(() => {
    options.control.abort('stop');
    options.control.discard('drop');
  }, 20);
  assert.deepEqual(results(await runAll([use('a', 'Work', { ms: 5000 })], options)), []);
});
