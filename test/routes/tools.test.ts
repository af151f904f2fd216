import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer, type Json } from '../support/server.ts';

const weather = { name: 'weather', description: 'Tells the weather of a city.', client: true, defer: true, input_schema: cityOf() };
const clock = { name: 'clock', description: 'Tells the time in a city.', client: true, input_schema: cityOf() };

function cityOf(): Json {
  return { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
}

/** Names in a list, whatever its format. */
function names({ tools }: Json): string[] {
  return (tools as Json[]).map((tool) => (tool['name'] ?? tool['function'].name) as string);
}

test('The lists of tools', async (t) => {
  const server = await startServer(t);
  const list = async (path: string, headers?: Record<string, string>): Promise<Awaited<ReturnType<typeof server.request>>> =>
    server.request('GET', path, undefined, headers);

  await t.test('Tools of a session with default options can be had without one, sorted, in every format', async () => {
    const { status, body, headers } = await list('/v1/tools');
    assert.equal(status, 200);
    assert.ok(names(body).includes('Read') && names(body).includes('ToolSearch'));
    assert.deepEqual(names(body), names(body).toSorted());
    assert.match(body['hash'], /^sha256:[0-9a-f]{64}$/);
    assert.equal(headers.get('etag'), `"${body['hash']}"`);
    assert.ok(!('deferred' in body));
    const keys: Json = {};
    for (const format of ['anthropic', 'openai_chat', 'openai_responses', 'mcp']) {
      const shown = (await list(`/v1/tools?format=${format}`)).body;
      assert.deepEqual(names(shown), names(body), format);
      keys[format] = Object.keys(shown['tools'][0]);
    }
    assert.deepEqual(keys['anthropic'], ['name', 'description', 'input_schema']);
    assert.deepEqual(keys['openai_chat'], ['type', 'function']);
    assert.ok(keys['openai_responses'].includes('parameters') && keys['mcp'].includes('inputSchema'));
    assert.equal((await list('/v1/tools?format=xml')).status, 400);
  });

  await t.test('The list without a session is that of a new one, for every key', async (st) => {
    const env = { TOOLEXEC_API_KEYS: 'boss:first-secret,guest:second-secret', TOOLEXEC_OPERATOR_KEYS: 'boss' };
    const keyed = await startServer(st, { env });
    const lists = await Promise.all(
      ['first-secret', 'second-secret'].map(async (key) => {
        const headers = { authorization: `Bearer ${key}` };
        const { id } = (await keyed.request('POST', '/v1/sessions', {}, headers)).body;
        const [bare, ofNew] = await Promise.all(
          ['/v1/tools', `/v1/sessions/${id}/tools`].map((path) => keyed.request('GET', path, undefined, headers)),
        );
        assert.deepEqual(bare?.body, ofNew?.body);
        return names(bare?.body ?? {});
      }),
    );
    assert.deepEqual(
      lists.map((list_) => list_.includes('Config')),
      [true, false],
    );
  });

  await t.test('A list that is as it was is not sent again', async () => {
    const path = `/v1/sessions/${await server.session()}/tools`;
    const etag = (await list(path)).headers.get('etag') ?? '';
    const again = await list(path, { 'if-none-match': etag });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('etag'), etag);
    assert.equal((await list(path, { 'if-none-match': '"sha256:other"' })).status, 200);
  });

  await t.test('A session’s own tools stand after the built-in ones, whose bytes stay as they were', async () => {
    const plain = await list(`/v1/sessions/${await server.session()}/tools`);
    const more = await list(`/v1/sessions/${await server.session({ tools: { custom: [weather, { ...clock, name: 'Aaa' }] } })}/tools`);
    const [before, after] = [plain, more].map(({ body }) => JSON.stringify(body['tools']));
    assert.ok(after?.startsWith((before ?? '').slice(0, -1)));
    assert.deepEqual(names(more.body).slice(-2), ['Aaa', 'weather']);
    assert.notEqual(more.body['hash'], plain.body['hash']);
  });

  await t.test('A deferred tool is marked for Anthropic, left out for others, and named with what it is for', async () => {
    const path = `/v1/sessions/${await server.session({ tools: { custom: [weather, clock] } })}/tools`;
    const { body } = await list(path);
    const marked = (body['tools'] as Json[]).filter((tool) => tool['defer_loading'] === true);
    assert.deepEqual(names({ tools: marked }), ['weather']);
    assert.deepEqual(body['deferred'], [{ name: 'weather', search_hint: 'Tells the weather of a city.' }]);
    for (const format of ['openai_chat', 'openai_responses', 'mcp']) {
      const others = (await list(`${path}?format=${format}`)).body;
      assert.equal(names(others).at(-1), 'clock');
      assert.ok(!names(others).includes('weather'), format);
      assert.deepEqual(others['deferred'], body['deferred']);
    }
    const off = await server.session({ tools: { custom: [weather], search: 'off' } });
    const whole = (await list(`/v1/sessions/${off}/tools`)).body;
    assert.ok(!('deferred' in whole) && (whole['tools'] as Json[]).every((tool) => !('defer_loading' in tool)));
  });

  await t.test('A session that changes which tools it has gets another list at once', async () => {
    const id = await server.session();
    const before = (await list(`/v1/sessions/${id}/tools`)).body;
    await server.request('PATCH', `/v1/sessions/${id}`, { tools: { include: ['Read'] } });
    const after = (await list(`/v1/sessions/${id}/tools`)).body;
    assert.deepEqual(names(after), ['Read', 'ToolSearch']);
    assert.notEqual(after['hash'], before['hash']);
    assert.equal((await list(`/v1/sessions/${id}`)).body['tools'].hash, after['hash']);
  });

  await t.test('There is no list of a session that is not there', async () => {
    assert.equal((await list('/v1/sessions/ses_none/tools')).status, 404);
  });
});
