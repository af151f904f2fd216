// Tools that the service calls over HTTP, against real servers: good ones, slow ones, and such as answer with anything.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TurnControl } from '../../src/engine/turn-control.ts';
import { engineOptions, of, outcomes, results, startAll, use } from '../support/run-engine.ts';
import { callOnce, customTool, guardedFetch, servedTool, toolServer } from './custom-bench.ts';

const json = (response: ServerResponse, value: unknown): unknown => response.end(JSON.stringify(value));

describe('a call', () => {
  test("goes out as JSON with the tool's own method and headers, and what comes back is its result", async (t) => {
    const server = await toolServer(t, (response) => json(response, { content: 'sunny', more: 'is passed over' }));
    const tool = servedTool(server, { name: 'weather', http: { method: 'PUT', headers: { 'X-Team': 'blue' } } });
    const { outcome, text } = await callOnce(tool, { city: 'Bern' });
    assert.deepEqual([outcome, text], ['ok', 'sunny']);
    const [{ method, path, headers, body } = assert.fail('nothing came')] = server.received;
    assert.deepEqual([method, path, headers['x-team'], headers['content-type']], ['PUT', '/call', 'blue', 'application/json']);
    assert.deepEqual(body, { tool_use_id: 'toolu_1', session_id: 'ses_test', name: 'weather', input: { city: 'Bern' } });
  });

  test('carries a key that is the same when it runs again, and another one in every other turn', async (t) => {
    const server = await toolServer(t, (response) => json(response, { content: 'x' }));
    const tool = servedTool(server);
    for (const turnId of ['turn_a', 'turn_a', 'turn_b']) await callOnce(tool, {}, { turnId, id: 'call_0' });
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual(keys, ['turn_a.call_0', 'turn_a.call_0', 'turn_b.call_0']);
  });

  for (const id of ['ünïcode ☃', 'two\nlines', '\ud800', 'x'.repeat(256)]) {
    test(`with the id ${JSON.stringify(id.slice(0, 12))} goes out like any other`, async (t) => {
      const server = await toolServer(t, (response) => json(response, { content: 'came' }));
      const { outcome, text } = await callOnce(servedTool(server), {}, { id });
      assert.deepEqual([outcome, text], ['ok', 'came']);
      assert.equal(server.received[0]?.body.tool_use_id, id);
    });
  }

  test('with values of the wrong type reaches the server with those that its schema asks for', async (t) => {
    const server = await toolServer(t, (response) => json(response, { content: 'x' }));
    const input_schema = { type: 'object', properties: { n: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } } };
    const { events } = await callOnce(servedTool(server, { input_schema }), { n: '5', tags: 'a' });
    assert.deepEqual(server.received[0]?.body.input, { n: 5, tags: ['a'] });
    const started = events.find(of('call_started', 'toolu_1'));
    assert.deepEqual(started?.type === 'call_started' && started.coerced, ['n', 'tags']);
  });

  test('with input that the schema refuses never reaches the server', async (t) => {
    const server = await toolServer(t, (response) => json(response, { content: 'x' }));
    const input_schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
    const { outcome, text } = await callOnce(servedTool(server, { input_schema }), { m: 'five' });
    assert.equal(outcome, 'invalid_input');
    assert.match(text, /missing parameter `n`[^]*unexpected parameter `m`/);
    assert.equal(server.received.length, 0);
  });
});

describe('an answer', () => {
  test('may be blocks of text, images and documents', async (t) => {
    const content = [
      { type: 'text', text: 'a chart', cache_control: { type: 'ephemeral' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' }, title: 'The report' },
    ];
    const server = await toolServer(t, (response) => json(response, { content, is_error: null }));
    const { events } = await callOnce(servedTool(server));
    const [{ cache_control: _, ...first } = assert.fail(), ...rest] = content;
    assert.deepEqual(results(events)[0]?.result, {
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [first, ...rest],
      is_error: false,
    });
  });

  test('may come in pieces, compressed, with a mark of its byte order and characters cut in two', async (t) => {
    const bytes = Buffer.from(`\ufeff${JSON.stringify({ content: 'grüße ☃' })}`);
    const server = await toolServer(t, (response, { path }) => {
      if (path === '/gzip') return void response.setHeader('content-encoding', 'gzip').end(gzipSync(bytes));
      const pour = (at: number): void => {
        if (at === bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(pour, at + 1));
      };
      pour(0);
    });
    for (const path of ['/gzip', '/slowly']) {
      const { text } = await callOnce(servedTool(server, { http: { url: server.base + path } }));
      assert.equal(text, 'grüße ☃');
    }
  });

  test('that repeats a header which the client has given for the server alone is told without it', async (t) => {
    const server = await toolServer(t, (response) => {
      response.statusCode = 500;
      json(response, { told: 'Bearer SUPERSECRET99 and SUPERSECRET99' });
    });
    const headers = { authorization: 'Bearer SUPERSECRET99' };
    const { text } = await callOnce(servedTool(server, { name: 'weather', http: { headers } }), {});
    assert.match(text, /status 500/);
    assert.doesNotMatch(text, /SUPERSECRET99/);
  });

  test('that says it is an error is one, with its text made safe for the model', async (t) => {
    const file = readFileSync(new URL('../cases/injection.json', import.meta.url), 'utf8');
    const { cases } = JSON.parse(file) as { cases: { id: string; text?: string; must_not_match?: string[] }[] };
    const hostile = cases.filter(({ id, text }) => ['i-003', 'i-004', 'i-007', 'i-008', 'i-010'].includes(id) && text !== undefined);
    assert.equal(hostile.length, 5);
    const server = await toolServer(t, (response, { body }) => {
      json(response, { content: [{ type: 'text', text: hostile[Number(body.input['n'])]?.text }], is_error: true });
    });
    for (const [n, { must_not_match = [] }] of hostile.entries()) {
      const { outcome, text } = await callOnce(servedTool(server), { n });
      assert.equal(outcome, 'tool_error');
      assert.match(text, /cannot open file/);
      for (const pattern of must_not_match) assert.doesNotMatch(text, new RegExp(pattern));
    }
  });

  test('that is long is cut for the model and kept whole', async (t) => {
    const server = await toolServer(t, (response) => json(response, { content: 'y'.repeat(200_000) }));
    const { outcome, text } = await callOnce(servedTool(server));
    assert.equal(outcome, 'ok');
    assert.match(text.slice(-300), /The whole output, 200000 bytes, is in \/outputs/);
  });

  const wrong: [what: string, answer: (response: ServerResponse) => unknown, says: RegExp][] = [
    ['is no JSON', (response) => response.end('<html>Login</html>'), /is not JSON\..*"content".*It says: <html>Login/],
    ['is empty', (response) => response.end(), /is empty\./],
    ['has no body', (response) => response.writeHead(204).end(), /is empty\./],
    ['is JSON broken off', (response) => response.end('{"content": "a'), /is not JSON/],
    ['is a bare text', (response) => json(response, 'done'), /the whole: Give an object\..*It says: "done"/],
    ['has no content', (response) => json(response, { result: 'x' }), /content: .*It says: {"result":"x"}/],
    ['has a number for content', (response) => json(response, { content: 5 }), /content: .*array/],
    [
      'has a block of no known type',
      (response) => json(response, { content: [{ type: 'audio' }] }),
      /content\.0\.type: .*text, image or document/,
    ],
    [
      'names an image by its URL',
      (response) => json(response, { content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }] }),
      /content\.0\.source\.type: .*base64/,
    ],
    ['has a text that is none', (response) => json(response, { content: [{ type: 'text', text: 5 }] }), /content\.0\.text: .*string/],
    [
      'has too many blocks',
      (response) => json(response, { content: Array.from({ length: 101 }, () => ({ type: 'text', text: '' })) }),
      /content: At most 100 blocks/,
    ],
    ['is unsure whether it failed', (response) => json(response, { content: 'x', is_error: 'no' }), /is_error: Give true or false/],
    [
      'is nested without end',
      (response) => response.end(`${'['.repeat(500_000)}${']'.repeat(500_000)}`),
      /the whole: Give an object\..*It begins with/,
    ],
    [
      'has content nested without end',
      (response) => response.end(`{"content":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
      /content\.0: /,
    ],
    ['refuses', (response) => response.writeHead(403).end('{"detail":"no such user"}'), /status 403\. It says: {"detail":"no such user"}/],
    ['fails without a word', (response) => response.writeHead(500).end(), /answered with status 500\.</],
    ['sends on without saying where', (response) => response.writeHead(304).end(), /answered with status 304\./],
    [
      'breaks off',
      (response) => response.writeHead(200, { 'content-length': '100' }).write('{"content":', () => response.destroy()),
      /gave no answer\. .*127\.0\.0\.1/,
    ],
    ['never begins', (response) => response.destroy(), /gave no answer\. .*127\.0\.0\.1/],
    ['is no HTTP', (response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'), /gave no answer\. /],
  ];
  for (const [what, answer, says] of wrong) {
    test(`that ${what} is an error of the tool that says so`, async (t) => {
      const server = await toolServer(t, answer);
      const { outcome, text } = await callOnce(servedTool(server));
      assert.equal(outcome, 'tool_error');
      assert.match(text, says);
      assert.ok(text.length < 2_500, 'no more than its beginning is shown');
    });
  }

  for (const [status, says] of [
    [200, /larger than 10485760 bytes/],
    [500, /status 500\. It begins with: xxx/],
  ] as const) {
    test(`without an end and status ${status} is given up, and its connection closed`, async (t) => {
      const closed = Promise.withResolvers<void>();
      const server = await toolServer(t, (response) => {
        response.once('close', () => closed.resolve());
        response.writeHead(status);
        const pour = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', pour);
        pour();
      });
      const { outcome, text } = await callOnce(servedTool(server));
      assert.equal(outcome, 'tool_error');
      assert.match(text, says);
      await closed.promise;
    });
  }

  test('that refuses at length is an error as soon as enough is there to tell why', async (t) => {
    const server = await toolServer(t, (response) => response.writeHead(503).write('busy '.repeat(5_000)));
    const { outcome, text } = await callOnce(servedTool(server, { http: { timeout_ms: 5_000 } }));
    assert.equal(outcome, 'tool_error');
    assert.match(text, /status 503\. It begins with: busy busy/);
  });

  test('that grows out of a small file is counted as it is then', async (t) => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    const server = await toolServer(t, (response) => response.setHeader('content-encoding', 'gzip').end(bomb));
    assert.match((await callOnce(servedTool(server))).text, /larger than 10485760 bytes/);
  });

  for (const [when, begin] of [
    ['never comes', () => {}],
    ['stops in the middle', (response: ServerResponse) => response.write('{"content":')],
  ] as const) {
    test(`that ${when} ends the call after the tool's own time, and the connection with it`, async (t) => {
      const closed = Promise.withResolvers<void>();
      const server = await toolServer(t, (response) => {
        response.once('close', () => closed.resolve());
        begin(response);
      });
      const { outcome, text } = await callOnce(servedTool(server, { http: { timeout_ms: 100 } }));
      assert.equal(outcome, 'timed_out');
      assert.match(text, /no whole answer within 100 ms/);
      await closed.promise;
    });
  }
});

describe('a call that is stopped', () => {
  test('ends at once, and its connection with it', async (t) => {
    const came = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const server = await toolServer(t, (response) => {
      response.once('close', () => closed.resolve());
      came.resolve();
    });
    const tool = servedTool(server);
    const control = new TurnControl();
    const { events } = startAll([use('toolu_1', tool.name)], engineOptions([tool], { control }));
    await came.promise;
    control.abort('The user pressed stop.');
    assert.deepEqual(outcomes(await events), ['toolu_1 aborted']);
    await closed.promise;
  });
});

describe('an address', () => {
  for (const url of [
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:8080/',
    'http://[::1]/',
    'https://vault.internal/',
  ]) {
    test(`such as ${url} is refused when the call is made, as an error of the tool`, async (t) => {
      const { outcome, text } = await callOnce(customTool({ http: { url } }, guardedFetch(t)));
      assert.equal(outcome, 'tool_error');
      assert.match(text, /gave no answer\. .*only public/);
    });
  }

  test('that is private is not reached by a redirect either', async (t) => {
    const server = await toolServer(t, (response) => response.writeHead(307, { location: 'http://10.0.0.1/call' }).end());
    const { outcome, text } = await callOnce(servedTool(server));
    assert.equal(outcome, 'tool_error');
    assert.match(text, /redirects to a URL that cannot be reached/);
  });

  test('that redirects on its own host gets the call there', async (t) => {
    const server = await toolServer(t, (response, { path, body }) => {
      if (path === '/call') response.writeHead(308, { location: '/call/' }).end();
      else json(response, { content: JSON.stringify(body) });
    });
    assert.match((await callOnce(servedTool(server), { a: 1 })).text, /"input":{"a":1}/);
  });

  test('that redirects in a circle is given up', async (t) => {
    const server = await toolServer(t, (response) => response.writeHead(307, { location: '/call' }).end());
    const { outcome, text } = await callOnce(servedTool(server));
    assert.equal(outcome, 'tool_error');
    assert.match(text, /redirects more than 5 times/);
  });
});

describe('calls beside each other', () => {
  test('run together when the tool says that they may, and their results keep their order', async (t) => {
    const open: [ServerResponse, string][] = [];
    const server = await toolServer(t, (response, { body }) => {
      open.push([response, body.tool_use_id]);
      // The last that came is answered first: none of them is before all are there.
      if (open.length === 3) for (const [each, id] of open.toReversed()) json(each, { content: `of ${id}` });
    });
    const tool = servedTool(server, { annotations: { concurrency_safe: true } });
    const { events } = startAll(
      ['a', 'b', 'c'].map((id) => use(id, tool.name)),
      engineOptions([tool]),
    );
    const ended = results(await events).map(({ tool_use_id, result }) => [tool_use_id, result.content]);
    assert.deepEqual(ended, [
      ['a', 'of a'],
      ['b', 'of b'],
      ['c', 'of c'],
    ]);
  });

  test('run one after another when it says nothing', async (t) => {
    let running = 0;
    let widest = 0;
    const server = await toolServer(t, (response) => {
      running += 1;
      widest = Math.max(widest, running);
      setTimeout(() => {
        running -= 1;
        json(response, { content: 'x' });
      }, 20);
    });
    const tool = servedTool(server);
    const { events } = startAll(
      ['a', 'b', 'c'].map((id) => use(id, tool.name)),
      engineOptions([tool]),
    );
    assert.deepEqual(outcomes(await events), ['a ok', 'b ok', 'c ok']);
    assert.equal(widest, 1);
  });

  test('do not suffer when one of them has a broken server', async (t) => {
    const server = await toolServer(t, (response, { body }) => {
      if (body.tool_use_id === 'b') response.destroy();
      else json(response, { content: 'x' });
    });
    const tool = servedTool(server, { annotations: { read_only: true } });
    const { events } = startAll(
      ['a', 'b', 'c'].map((id) => use(id, tool.name)),
      engineOptions([tool]),
    );
    assert.deepEqual(outcomes(await events), ['a ok', 'b tool_error', 'c ok']);
  });
});
