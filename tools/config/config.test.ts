import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PERMISSION_MODES, type SessionControls } from '../../src/contract/index.ts';
import { testPolicy } from '../../test/permissions/test-policy.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import Config from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

function controls(values: Record<string, string | number> = { max_concurrency: 10, on_tool_error: 'continue' }): SessionControls {
  return {
    get: (key) => values[key] ?? 0,
    set(key, value) {
      if (typeof value !== typeof values[key] || Number.isNaN(value)) return Promise.reject(new Error(`${key} takes no ${String(value)}.`));
      values[key] = value as string | number;
      return Promise.resolve();
    },
  };
}

describe('Config', () => {
  test('tells a setting, and sets one', async (t) => {
    const harness = await toolHarness(t);
    const options = { services: { controls: controls() } };
    assert.equal((await harness.call(Config, { setting: 'max_concurrency' }, options)).text, 'max_concurrency is 10.');
    const changed = await harness.call(Config, { setting: 'max_concurrency', value: 3 }, options);
    assert.equal(changed.text, 'max_concurrency was 10 and is 3 from the next message on.');
    assert.deepEqual(changed.result.output, { setting: 'max_concurrency', value: 3, before: 10 });
    assert.equal((await harness.call(Config, { setting: 'on_tool_error' }, options)).text, 'on_tool_error is continue.');
  });

  test('takes a number that is given as a text, and a text that is none as an error', async (t) => {
    const harness = await toolHarness(t);
    const options = { services: { controls: controls() } };
    assert.equal((await harness.call(Config, { setting: 'max_concurrency', value: '4' }, options)).result.isError, undefined);
    await assert.rejects(harness.call(Config, { setting: 'max_concurrency', value: 'many' }, options), /max_concurrency takes no/);
    await assert.rejects(harness.call(Config, { setting: 'on_tool_error', value: 4 }, options), /on_tool_error takes no 4/);
  });

  test('asks before it changes anything, whatever the mode and the rules, and never to tell', async () => {
    const policy = testPolicy({ session: { allow: ['Config'], ask: [], deny: [] } });
    for (const mode of PERMISSION_MODES) {
      const context = { sessionId: 'ses_1', workspace: '/w', env: {}, state: { cwd: '/w', mode, todos: [], loadedTools: [] } };
      const decide = async (input: { setting: 'ttl_ms'; value?: number }) => {
        const call = { toolUseId: 'toolu_1', tool: Config, input, readOnly: Config.isReadOnly(input) };
        return (await policy.decide(call, context)).behavior;
      };
      assert.equal(await decide({ setting: 'ttl_ms', value: 5_000 }), mode === 'plan' || mode === 'dontAsk' ? 'deny' : 'ask', mode);
      assert.equal(await decide({ setting: 'ttl_ms' }), 'allow', mode);
    }
  });

  test('is there for the keys of operators alone', () => {
    const enabled = (...flags: string[]) => Config.isEnabled({ platform: 'linux', flags: new Set(flags) });
    assert.deepEqual([enabled(), enabled('operator')], [false, true]);
  });
});

toolSuite({ tool: Config, input: { setting: 'max_concurrency' }, ports: () => ({ services: { controls: controls() } }) });
