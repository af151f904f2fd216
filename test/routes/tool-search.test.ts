import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, resultsOf, startServer, type Json } from '../support/server.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const custom = ['weather', 'clock'].map((name) => ({
  name,
  description: `Tells the ${name} of a city.`,
  input_schema: inputSchema,
  client: true,
  defer: true,
}));

test('Searching for tools', async (t) => {
  const server = await startServer(t);
  const session = (tools: Json = { custom }): Promise<string> => server.session({ tools });
  const search = (id: string, body: Json): ReturnType<typeof server.request> =>
    server.request('POST', `/v1/sessions/${id}/tools/search`, body);
  const list = async (id: string): Promise<Json> => (await server.request('GET', `/v1/sessions/${id}/tools?format=openai_chat`)).body;
  const names = ({ tools }: Json): string[] => (tools as Json[]).map((tool) => tool['function'].name as string);

  await t.test('over HTTP gives the definitions, best first, and loads what was deferred', async () => {
    const id = await session();
    const before = await list(id);
    const { status, body } = await search(id, { query: 'select:weather,Read,nothing' });
    assert.equal(status, 200);
    assert.deepEqual(body['matches'][0], {
      name: 'weather',
      description: 'Tells the weather of a city.',
      deferred: true,
      input_schema: inputSchema,
    });
    assert.equal(body['matches'][1].name, 'Read');
    assert.equal(body['matches'][1].deferred, false);
    assert.match(body['notes'][0], /^No tool is named "nothing"/);

    const after = await list(id);
    assert.deepEqual(names(after), [...names(before), 'weather']);
    assert.notEqual(after['hash'], before['hash']);
    const { body: log } = await server.request('GET', `/v1/sessions/${id}/events`, undefined, { accept: 'application/json' });
    const changes = (log['data'] as Json[]).filter((event) => event['type'] === 'context_changed').map((event) => event['changes']);
    assert.deepEqual(changes, [{ loaded_tools: ['weather'] }]);
  });

  await t.test('takes words, and as many results as are asked for', async () => {
    const id = await session();
    const one = (await search(id, { query: 'city', max_results: 1 })).body;
    assert.equal(one['matches'].length, 1);
    const { body } = await search(id, { query: 'what time is it, clock' });
    assert.equal(body['matches'][0].name, 'clock');
    assert.match((await search(id, { query: '' })).body['notes'][0], /^The query is empty/);
  });

  await t.test('refuses what is no search', async () => {
    const id = await session();
    for (const body of [{}, { query: 1 }, { query: 'x', max_results: 0 }, { query: 'x', max_results: 51 }, { query: 'x'.repeat(2_001) }]) {
      const refused = await search(id, body);
      assert.equal(refused.status, 400, JSON.stringify(body).slice(0, 40));
    }
    assert.equal((await search('ses_none', { query: 'x' })).status, 404);
  });

  await t.test('by the model loads the tool for the session: with references, or with the definition as text', async () => {
    const id = await session();
    const { body } = await server.post(id, [call('toolu_1', 'ToolSearch', { query: 'select:weather' })]);
    assert.deepEqual(body['messages'][0].content[0].content, [{ type: 'tool_reference', tool_name: 'weather' }]);
    assert.ok(names(await list(id)).includes('weather'));

    const message = { role: 'assistant', content: null, tool_calls: [toolCall('ToolSearch', { query: 'select:clock' })] };
    const chat = await server.request('POST', `/v1/sessions/${id}/messages`, message);
    const { name, parameters } = JSON.parse(chat.body['messages'][0].content as string) as Json;
    assert.deepEqual([name, parameters], ['clock', inputSchema]);
    assert.ok(names(await list(id)).includes('clock'));
  });

  await t.test('is what a model is told that guessed the input of a tool it has not seen, until it has', async () => {
    const id = await session();
    const guess = async (toolUseId: string): Promise<string> =>
      resultsOf((await server.post(id, [call(toolUseId, 'weather', { town: 1 })])).body).join();
    assert.match(await guess('toolu_1'), /InputValidationError[^]*ToolSearch with the query "select:weather"/);
    await server.post(id, [call('toolu_2', 'ToolSearch', { query: 'select:weather' })]);
    assert.doesNotMatch(await guess('toolu_3'), /ToolSearch/);
  });

  await t.test('is allowed in every mode, as it touches nothing', async () => {
    for (const mode of ['default', 'plan', 'dontAsk']) {
      const id = await server.session({ permissions: { mode }, tools: { custom } });
      const { body } = await server.post(id, [call('toolu_1', 'ToolSearch', { query: 'select:weather' })]);
      assert.equal(body['turn'].calls[0].outcome, 'ok', mode);
    }
  });
});

function toolCall(name: string, input: Json): Json {
  return { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
}
