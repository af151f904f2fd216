import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test, type TestContext } from 'node:test';
import type { PermissionMode, Tool } from '../../src/contract/index.ts';
import { testPolicy, NO_RULES } from '../../test/permissions/test-policy.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness, type ToolRunReport } from '../../test/support/tool-harness.ts';
import { engine, type EngineHit } from '../../test/web-search/engines.ts';
import { localWeb, serve } from '../../test/web-search/local-web.ts';
import WebSearch from './index.ts';

const HITS: EngineHit[] = Array.from({ length: 12 }, (_, index) => ({
  title: `Page ${index + 1}`,
  url: `https://${index % 2 === 0 ? 'docs.example.com' : 'blog.example.org'}/${index + 1}`,
  text: index === 1 ? '' : `About <b>page</b> ${index + 1}`,
}));
const answer = engine('tavily', HITS);
const url = await serve({ after }, (request, response) => (request.url?.startsWith('/endless') ? undefined : answer(request, response)));
const web = localWeb({ after }, { webSearch: { provider: 'tavily', url, apiKey: 'secret-key' } });
const endless = localWeb({ after }, { webSearch: { provider: 'tavily', url: `${url}/endless`, apiKey: 'secret-key' } });

type Input = Parameters<typeof WebSearch.call>[0];

async function searched(t: TestContext, input: Input): Promise<ToolRunReport> {
  return (await toolHarness(t)).call(WebSearch, input, { services: { web } });
}

toolSuite({
  tool: WebSearch,
  input: { query: 'pages' },
  ports: () => ({ services: { web } }),
  endless: { input: { query: 'pages' }, ports: () => ({ services: { web: endless } }) },
});

test('Results come as a numbered list, at most ten, and are drawn as a table', async (t) => {
  const input = { query: 'pages' };
  const { text, result } = await searched(t, input);
  assert.ok(
    text.startsWith('1. Page 1\n   https://docs.example.com/1\n   About page 1\n\n2. Page 2\n   https://blog.example.org/2\n\n3. Page 3'),
  );
  assert.match(text, /\n\n10\. Page 10\n {4}https:[^\n]*\n {4}About page 10$/);
  const view = WebSearch.renderResult(input, result as Parameters<typeof WebSearch.renderResult>[1]);
  assert.equal(view.subtitle, '10 results');
  assert.ok(view.body?.kind === 'table');
  assert.deepEqual(
    [view.body.columns, view.body.rows[1]],
    [
      ['Title', 'URL'],
      ['Page 2', 'https://blog.example.org/2'],
    ],
  );
});

test('Hosts can be allowed or blocked, but not both at once', async (t) => {
  const allowed = await searched(t, { query: 'pages', allowed_domains: ['example.org'] });
  assert.doesNotMatch(allowed.text, /docs\.example\.com/);
  const blocked = await searched(t, { query: 'pages', blocked_domains: ['example.org'] });
  assert.doesNotMatch(blocked.text, /blog\.example\.org/);
  const nothing = await searched(t, { query: 'pages', allowed_domains: ['nowhere.example'] });
  assert.match(nothing.text, /^No results on nowhere\.example\. Use other or fewer words, or leave allowed_domains out\.$/);
  assert.notEqual(nothing.result.isError, true);
  assert.equal((await WebSearch.validateInput?.({ query: 'x', allowed_domains: ['a.com'], blocked_domains: ['b.com'] }))?.ok, false);
  assert.equal((await WebSearch.validateInput?.({ query: 'x', allowed_domains: ['a.com'], blocked_domains: [] }))?.ok, true);
});

test('A query has 2 to 400 characters, and domains are names of hosts alone', () => {
  const schema = WebSearch.inputSchema as { safeParse(input: unknown): { success: boolean } };
  const accepts = (input: object): boolean => schema.safeParse(input).success;
  assert.deepEqual(
    [{ query: 'a' }, { query: 'x'.repeat(401) }, { query: 'ab', allowed_domains: ['https://a.com/'] }, { query: 'ab' }].map(accepts),
    [false, false, false, true],
  );
});

test('An engine that fails is an error in words for the model', async (t) => {
  const harness = await toolHarness(t);
  const { text, result } = await harness.call(WebSearch, { query: 'pages' }, { services: { web: localWeb(t) } });
  assert.equal(result.isError, true);
  assert.match(text, /has no search engine/);
});

test('The tool is there only where a search engine is', () => {
  assert.deepEqual(JSON.parse(readFileSync(new URL('./requires.json', import.meta.url), 'utf8')), ['search']);
});

test('A search is asked for unless the mode or a rule, which may name its words, lets it run', async () => {
  const decide = async (mode: PermissionMode, rules: Partial<typeof NO_RULES> = {}): Promise<string> => {
    const input = { query: 'release notes of node' };
    const call = { toolUseId: 'toolu_1', tool: WebSearch as unknown as Tool, input, readOnly: WebSearch.isReadOnly(input) };
    const context = { sessionId: 'ses_1', workspace: '/w', env: {}, state: { cwd: '/w', mode, todos: [], loadedTools: [] } };
    return (await testPolicy({ session: { ...NO_RULES, ...rules } }).decide(call, context)).behavior;
  };
  assert.deepEqual(await Promise.all((['default', 'plan', 'bypassPermissions', 'dontAsk'] as const).map((mode) => decide(mode))), [
    'ask',
    'ask',
    'allow',
    'deny',
  ]);
  assert.equal(await decide('default', { allow: ['WebSearch'] }), 'allow');
  assert.equal(await decide('default', { allow: ['WebSearch(release notes *)'] }), 'allow');
  assert.equal(await decide('default', { allow: ['WebSearch(something else)'] }), 'ask');
  assert.equal(await decide('bypassPermissions', { deny: ['WebSearch(*notes*)'] }), 'deny');
});
