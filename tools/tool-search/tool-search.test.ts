import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ToolCallOptions, ToolHarness } from '../../test/support/tool-harness.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { sampleTool } from '../../test/toolbox/sample-tools.ts';
import { openWorld, remoteTool, servers, type World } from '../../test/toolbox/toolbox-world.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import ToolSearch from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

const FORMATS = ['anthropic', 'openai_chat', 'openai_responses'] as const;
const issue = remoteTool('mcp__github__create_issue', 'Opens an issue.', ['title']);
const branch = remoteTool('mcp__github__create_branch', 'Makes a branch.', ['name']);
const open = (): World => openWorld({ builtIn: [sampleTool('Read')], remote: servers(issue, branch) });

type Report = Awaited<ReturnType<ToolHarness['call']>>;
const ask = (harness: ToolHarness, query: string, options: ToolCallOptions & { max?: number } = {}): Promise<Report> =>
  harness.call(ToolSearch, { query, max_results: options.max ?? 5 }, { toolIndex: open().toolbox.index, ...options });

describe('ToolSearch', () => {
  test('answers in the Anthropic format with references and nothing else, which the API turns into definitions', async (t) => {
    const harness = await toolHarness(t);
    const { result } = await ask(harness, 'select:mcp__github__create_issue,nothing');
    assert.deepEqual(result.content, [{ type: 'tool_reference', tool_name: 'mcp__github__create_issue' }]);
    assert.deepEqual(harness.state.loadedTools, ['mcp__github__create_issue']);
  });

  test('never refers to a tool that is not deferred, which the API would refuse', async (t) => {
    const harness = await toolHarness(t);
    const both = await ask(harness, 'select:Read,mcp__github__create_branch');
    assert.deepEqual(both.result.content, [{ type: 'tool_reference', tool_name: 'mcp__github__create_branch' }]);
    const one = await ask(harness, 'select:Read');
    assert.match(one.text, /^You have these tools already, and can call them: Read\.$/);
    assert.deepEqual(harness.state.loadedTools, ['mcp__github__create_branch']);
  });

  for (const format of FORMATS.slice(1)) {
    test(`answers in the format ${format} with the definitions, one a line, and what else there is to say`, async (t) => {
      const harness = await toolHarness(t);
      const { text } = await ask(harness, 'select:mcp__github__create_issue,nothing', { format });
      const [line, note] = text.split('\n');
      assert.deepEqual(JSON.parse(line ?? ''), {
        name: 'mcp__github__create_issue',
        description: 'Opens an issue.',
        parameters: { type: 'object', properties: { title: { type: 'string', description: 'The title.' } } },
      });
      assert.match(note ?? '', /^No tool is named "nothing"/);
      assert.deepEqual(harness.state.loadedTools, ['mcp__github__create_issue']);
    });
  }

  test('says in every format that nothing was found, and how much there is to find', async (t) => {
    const harness = await toolHarness(t);
    for (const format of FORMATS) {
      const { text, result } = await ask(harness, 'zzzz', { format });
      assert.equal(text, 'No tool fits "zzzz": try other words, or fewer with a plus.\nDeferred tools in all: 2.');
      assert.equal(result.contextModifier, undefined);
    }
    const none = await ask(harness, '', { toolIndex: openWorld({ search: 'off' }).toolbox.index });
    assert.match(none.text, /^The query is empty.*\nNo tool is deferred: you have all that there are\.$/);
  });

  test('finds as many as it is asked for, best first', async (t) => {
    const harness = await toolHarness(t);
    const { result } = await ask(harness, 'create github issue', { max: 1 });
    assert.deepEqual(result.content, [{ type: 'tool_reference', tool_name: 'mcp__github__create_issue' }]);
  });

  test('keeps what was loaded before, each name once, and the newest thousand', async (t) => {
    const harness = await toolHarness(t);
    await ask(harness, 'select:mcp__github__create_issue');
    await ask(harness, 'select:mcp__github__create_branch');
    const { state } = harness;
    assert.deepEqual(state.loadedTools, ['mcp__github__create_issue', 'mcp__github__create_branch']);
    await ask(harness, 'select:mcp__github__create_issue');
    assert.equal(harness.state, state, 'nothing new, so nothing changes');

    harness.state = { ...state, loadedTools: Array.from({ length: 1_000 }, (_, index) => `t${index}`) };
    await ask(harness, 'select:mcp__github__create_issue');
    assert.equal(harness.state.loadedTools.length, 1_000);
    assert.equal(harness.state.loadedTools.at(-1), 'mcp__github__create_issue');
    assert.equal(harness.state.loadedTools[0], 't1');
  });

  test('shows people what was found', async (t) => {
    const { result } = await ask(await toolHarness(t), 'select:mcp__github__create_issue,nothing');
    const input = { query: 'select:mcp__github__create_issue,nothing', max_results: 5 };
    const view = ToolSearch.renderResult(input, result as Parameters<typeof ToolSearch.renderResult>[1]);
    assert.equal(view.subtitle, 'select:mcp__github__create_issue,nothing (1)');
    assert.deepEqual(view.body?.kind === 'list' && view.body.items[0], 'mcp__github__create_issue');
    assert.match(JSON.stringify(view.body), /No tool is named/);
    assert.equal(ToolSearch.renderUse(input).subtitle, input.query);
  });

  test('takes a query of bounded length and a whole number of results', () => {
    const check = inputValidator(ToolSearch);
    assert.deepEqual(check({ query: 'x' }), { ok: true, input: { query: 'x', max_results: 5 } });
    for (const input of [
      {},
      { query: 'x'.repeat(2_001) },
      { query: 'x', max_results: 0 },
      { query: 'x', max_results: 51 },
      { query: 'x', more: 1 },
    ]) {
      assert.equal(check(input).ok, false, JSON.stringify(input).slice(0, 60));
    }
  });

  test('reads only, touches nothing that a rule could ask about, runs beside others and is never deferred itself', () => {
    const input = { query: 'x', max_results: 5 };
    assert.deepEqual(
      [ToolSearch.isReadOnly(input), ToolSearch.isConcurrencySafe(input), ToolSearch.effect(input), ToolSearch.alwaysLoad],
      [true, true, 'read', true],
    );
    assert.deepEqual(ToolSearch.permissionSubjects(input, {} as never), []);
  });
});

toolSuite({ tool: ToolSearch, input: { query: 'issue', max_results: 5 }, ports: () => ({ toolIndex: open().toolbox.index }) });
