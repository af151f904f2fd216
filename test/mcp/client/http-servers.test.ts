// Servers over Streamable HTTP.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../../chaos/world/free-port.ts';
import { modernHttpServer, rawHttpServer, sendJson, textResult } from '../../support/mcp-http.ts';
import type { McpHubOptions } from '../../../src/mcp/client/hub.ts';
import { fixture, hubInTest, peopleWho } from '../../support/mcp-session.ts';

const sse = (message: object): string => `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const STREAM = { 'content-type': 'text/event-stream' };
const ALLOW = (name: string) => ({ behavior: 'allow', by: 'client', updatedInput: { name } }) as const;

describe('a server of the revision of 2026', () => {
  test('works over HTTP and over the streams of a program, side by side', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call, tool } = await open({ web: await modernHttpServer(t), local: fixture('modern.ts') });
    await connect();
    for (const server of ['web', 'local']) {
      const { result, text } = await call(`mcp__${server}__sum`, { numbers: [1, 2, 3] });
      assert.deepEqual([result.output, text], [{ sum: 6 }, '{"sum":6}']);
      assert.equal(tool(`mcp__${server}__sum`).isReadOnly({}), true);
      // Each question belongs to its call, also while several run.
      const asking = ['ada', 'eve', 'joe'].map((name) => ({ name, ...peopleWho(ALLOW(name)) }));
      const texts = await Promise.all(
        asking.map(async ({ name, people }) => (await call(`mcp__${server}__greet`, { word: `hi from ${name}` }, { people })).text),
      );
      assert.deepEqual(texts, ['hi from ada, ada', 'hi from eve, eve', 'hi from joe, joe']);
      assert.deepEqual(
        asking.map(({ asked }) => asked[0]?.reason),
        ['Whom to hi from ada?', 'Whom to hi from eve?', 'Whom to hi from joe?'],
      );
    }
  });

  test('is told no when people say no, or nobody can be asked', async (t) => {
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ web: await modernHttpServer(t) });
    await connect();
    assert.equal((await call('mcp__web__greet', { word: 'hi' })).text, 'nobody');
    const { people } = peopleWho({ behavior: 'allow', by: 'client' });
    assert.equal((await call('mcp__web__greet', { word: 'hi' }, { people })).text, 'nobody', 'a yes without the name that is needed');
  });
});

describe('a connection over HTTP', () => {
  test('carries the headers of its server, which are told to nobody', async (t) => {
    const { settings, asked } = await rawHttpServer(t, ({ method, headers }, response, usual) => {
      if (method === 'tools/call') response.writeHead(401).end(`no ${headers.authorization}`);
      else usual();
    });
    const { open, reports } = await hubInTest(t);
    const { connect, call } = await open({ web: { ...settings, headers: { authorization: 'Bearer a-very-secret-token' } } });
    await connect();
    const { text } = await call('mcp__web__one', {});
    assert.match(text, /It answered with HTTP status 401/);
    assert.ok(asked.every(({ headers }) => headers.authorization === 'Bearer a-very-secret-token'));
    assert.ok(!(text + reports.join()).includes('a-very-secret-token'));
  });

  test('is shared between sessions of one owner where the server remembers nothing, and by nobody else', async (t) => {
    const { settings, asked } = await rawHttpServer(t, (_asked, _response, usual) => usual());
    const { open } = await hubInTest(t);
    const first = await open({ web: settings });
    await first.connect();
    const others = [
      await open({ again: settings }),
      await open({ web: settings }, { owner: 'other' }),
      await open({ web: settings }, { origin: 'operator' }),
      await open({ web: { ...settings, headers: { 'x-key': '1' } } }),
    ];
    const connects: number[] = [];
    for (const other of others) {
      await other.connect();
      connects.push(asked.filter(({ method }) => method === 'initialize').length);
    }
    assert.deepEqual(connects, [1, 2, 3, 4]);
    await first.remote.close();
    assert.equal((await others[0]?.call('mcp__again__one', {}))?.text, 'called one');
  });

  test('is a session’s own where the server gives a session id, which is given back at the end', async (t) => {
    let ids = 0;
    const { settings, asked } = await rawHttpServer(
      t,
      (_asked, _response, usual) => usual(),
      () => `id-${(ids += 1)}`,
    );
    const { open } = await hubInTest(t);
    const sessions = [await open({ web: settings }), await open({ web: settings })];
    for (const { connect } of sessions) await connect();
    for (const { call } of sessions) await call('mcp__web__one', {});
    for (const { remote } of sessions) await remote.close();
    const ofCalls = asked.filter(({ method }) => method === 'tools/call').map(({ headers }) => headers['mcp-session-id']);
    const ofEnds = asked.filter(({ http }) => http === 'DELETE').map(({ headers }) => headers['mcp-session-id']);
    assert.deepEqual(
      [ofCalls, ofEnds],
      [
        ['id-1', 'id-2'],
        ['id-1', 'id-2'],
      ],
    );
  });

  test('is made anew once when the server has forgotten the session, and the call is sent again', async (t) => {
    let ids = 0;
    let forgotten = ['id-1'];
    const { settings, asked } = await rawHttpServer(
      t,
      ({ method, headers }, response, usual) => {
        if (method === 'tools/call' && forgotten.includes(String(headers['mcp-session-id']))) response.writeHead(404).end();
        else usual();
      },
      () => `id-${(ids += 1)}`,
    );
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ web: settings });
    await connect();
    assert.equal((await call('mcp__web__one', {})).text, 'called one');
    assert.equal(ids, 2);
    forgotten = ['id-2', 'id-3', 'id-4'];
    assert.match((await call('mcp__web__one', {})).text, /HTTP status 404/);
    assert.equal(asked.filter(({ method }) => method === 'tools/call').length, 4);
  });

  test('is not tried again for a call that may have been carried out', async (t) => {
    const { settings, asked } = await rawHttpServer(t, ({ method, id }, response, usual) => {
      if (method !== 'tools/call') return usual();
      response.writeHead(200, STREAM);
      const first = sse({ method: 'notifications/message', params: { level: 'info', data: id } });
      return response.write(first, () => setTimeout(() => response.destroy(), 50));
    });
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ web: settings });
    await connect();
    assert.match((await call('mcp__web__one', {})).text, /broke off before the answer was there/);
    assert.equal(asked.filter(({ method }) => method === 'tools/call').length, 1);
  });

  test('that cannot be made is told of, and made when it can be', async (t) => {
    let down = true;
    const { settings } = await rawHttpServer(t, (_asked, response, usual) => (down ? response.writeHead(503).end() : usual()));
    const { open } = await hubInTest(t);
    const { connect, remote, names } = await open({
      web: settings,
      gone: { ...settings, url: `http://127.0.0.1:${await freePort()}/mcp` },
    });
    await connect();
    assert.match(remote.servers[0]?.reason ?? '', /503/);
    assert.match(remote.servers[1]?.reason ?? '', /cannot be reached \(ECONNREFUSED\)/);
    down = false;
    while (names().length === 0) await Promise.all([connect(), wait(20)]);
    assert.deepEqual(names(), ['mcp__web__one', 'mcp__web__two']);
  });

  test('ends with a message that is over the limit, broken, or one of a flood', async (t) => {
    const bodies: Record<string, (id: unknown) => string> = {
      huge: (id) => sse({ id, result: textResult('x'.repeat(300_000)) }),
      broken: () => 'data: {"jsonrpc": nonsense}\n\n',
      flood: () => sse({ method: 'notifications/message', params: { level: 'info', data: '' } }).repeat(5_000),
      long: (id) =>
        sse({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(900) } }).repeat(500) +
        sse({ id, result: textResult('fine') }),
      returns: (id) => bodies['long']?.(id).replaceAll('\n', '\r') + ': the last line has ended\r',
    };
    const { open } = await hubInTest(t, { messageBytes: 200_000 });
    const texts = await Promise.all(
      Object.values(bodies).map(async (bodyOf) => {
        const { settings } = await rawHttpServer(t, ({ method, id }, response, usual) => {
          if (method !== 'tools/call') return usual();
          response.writeHead(200, STREAM);
          return response.write(bodyOf(id));
        });
        const { connect, call } = await open({ web: settings });
        await connect();
        return (await call('mcp__web__one', {})).text;
      }),
    );
    assert.match(texts[0] ?? '', /message of more than 200000 bytes/);
    assert.match(texts[1] ?? '', /no JSON-RPC/);
    assert.match(texts[2] ?? '', /more messages than anybody can use/);
    assert.equal(texts[3], 'fine');
    assert.equal(texts[4], 'fine', 'lines may end in other ways');
  });

  test('goes the way that belongs to who named the server, and never on to another one', async (t) => {
    const other = await rawHttpServer(t, (_asked, _response, usual) => usual());
    const { settings } = await rawHttpServer(t, (_asked, response) => response.writeHead(307, { location: other.settings.url }).end());
    const origins: string[] = [];
    const fetchFor: McpHubOptions['fetchFor'] = (origin) => {
      origins.push(origin);
      return fetch;
    };
    const { open } = await hubInTest(t, {}, { fetchFor });
    const { connect, remote } = await open({ web: settings });
    await connect();
    assert.equal(remote.servers[0]?.state, 'failed');
    assert.deepEqual([origins, other.asked], [['session'], []]);
  });

  test('that a call is stopped on tells the server, and keeps nothing open', async (t) => {
    const closed = Promise.withResolvers<void>();
    const { settings, asked } = await rawHttpServer(t, ({ method }, response, usual) => {
      if (method !== 'tools/call') return usual();
      response.writeHead(200, STREAM).flushHeaders();
      return response.on('close', () => closed.resolve());
    });
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ web: settings });
    await connect();
    const stop = new AbortController();
    const pending = call('mcp__web__one', {}, { signal: stop.signal });
    setTimeout(() => stop.abort({ kind: 'aborted', message: 'enough' }), 100);
    await assert.rejects(pending);
    await closed.promise;
    assert.ok(asked.some(({ method }) => method === 'notifications/cancelled'));
  });

  test('gives questions to the call whose answer they come with', async (t) => {
    const answers = new Map<unknown, (text: string) => void>();
    const { settings } = await rawHttpServer(t, ({ method, id, name }, response, usual) => {
      if (method === '' && id !== undefined) {
        response.writeHead(202).end();
        return answers.get(id)?.('answered');
      }
      if (method !== 'tools/call') return usual();
      response.writeHead(200, STREAM);
      const question = `question-${name}`;
      answers.set(question, (text) => response.end(sse({ id, result: textResult(text) })));
      return response.write(
        sse({
          id: question,
          method: 'elicitation/create',
          params: { message: `May ${name}?`, requestedSchema: { type: 'object', properties: {} } },
        }),
      );
    });
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ web: settings });
    await connect();
    const [one, two] = [peopleWho({ behavior: 'allow', by: 'client' }), peopleWho({ behavior: 'deny', by: 'client' })];
    await Promise.all([call('mcp__web__one', {}, { people: one.people }), call('mcp__web__two', {}, { people: two.people })]);
    assert.deepEqual([one.asked[0]?.reason, two.asked[0]?.reason], ['May one?', 'May two?']);
  });

  test('understands answers as plain JSON too', async (t) => {
    const { settings } = await rawHttpServer(t, ({ method, id }, response, usual) => {
      if (method !== 'tools/call') return usual();
      return sendJson(response, { id, result: { content: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }] } });
    });
    const { open } = await hubInTest(t);
    const { connect, call } = await open({ web: settings });
    await connect();
    assert.equal((await call('mcp__web__one', {})).text, '[An audio recording (audio/wav, 3 bytes) cannot be shown here.]');
  });
});
