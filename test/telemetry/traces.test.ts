import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { withConfigFile } from '../routes/config-file.ts';
import { startProcess } from '../support/process.ts';
import { assistant, call, startServer, type Json, type ServerOptions, type TestServer } from '../support/server.ts';
import { rawHttpServer } from '../support/mcp-http.ts';
import { careful, newTrace, workTool } from '../support/test-tools.ts';
import { startCollector, type Collector, type KeptSpan } from './collector.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const ERROR = 2;

interface Traced {
  readonly server: TestServer;
  readonly collector: Collector;
}

async function startTraced(t: TestContext, options: ServerOptions = {}): Promise<Traced> {
  const collector = await startCollector(t);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '20', ...options.env };
  return { collector, server: await startServer(t, { ...options, env }) };
}

/** The turn that these were posted as, once all of it has come. */
async function turnSpan({ collector }: Traced, reply: Json): Promise<KeptSpan> {
  return collector.span(({ name, attributes }) => name === 'turn' && attributes['toolexec.turn.id'] === reply['turn'].id);
}

function childrenOf({ spans }: Collector, parent: KeptSpan, name?: string): KeptSpan[] {
  const children = spans.filter((span) => span.parentSpanId === parent.spanId && (name === undefined || span.name === name));
  return children.toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
}

function assertWithin(inner: KeptSpan, outer: KeptSpan): void {
  const times = [outer.startTimeUnixNano, inner.startTimeUnixNano, inner.endTimeUnixNano, outer.endTimeUnixNano].map(BigInt);
  const ordered = times.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  assert.deepEqual(times, ordered, `${inner.name} lies within ${outer.name}`);
  assert.equal(inner.traceId, outer.traceId);
}

describe('a trace', () => {
  test('of a message holds its turn, batches, calls and their stages, in the trace of the request', async (t) => {
    const traced = await startTraced(t, { tools: [workTool()] });
    const { server, collector } = traced;
    const session = await server.session();
    const calls = [call('a', 'Work', { ms: 20 }), call('b', 'Work'), call('c', 'Work', { safe: false, fail: true })];
    const { body } = await server.post(session, calls, { traceparent: TRACEPARENT });
    const turn = await turnSpan(traced, body);
    assert.deepEqual([turn.traceId, turn.parentSpanId], [TRACE, PARENT]);
    assert.equal(turn.attributes['gen_ai.conversation.id'], session);
    assert.equal(turn.resource['service.name'], 'toolexec');
    const batches = childrenOf(collector, turn, 'batch');
    assert.deepEqual(
      batches.map((batch) => childrenOf(collector, batch).map(({ name }) => name)),
      [['execute_tool Work', 'execute_tool Work'], ['execute_tool Work']],
    );
    for (const batch of batches) assertWithin(batch, turn);
    for (const batch of batches) for (const one of childrenOf(collector, batch)) assertWithin(one, batch);
    const all = batches.flatMap((batch) => childrenOf(collector, batch));
    for (const one of all) {
      const stages = childrenOf(collector, one);
      assert.deepEqual(
        stages.map(({ name }) => name),
        ['queued', 'decide', 'run'],
      );
      for (const stage of stages) assertWithin(stage, one);
      assert.equal(one.attributes['gen_ai.operation.name'], 'execute_tool');
      assert.equal(one.attributes['gen_ai.tool.name'], 'Work');
    }
    assert.deepEqual(
      all.map(({ attributes, status }) => [attributes['gen_ai.tool.call.id'], attributes['toolexec.outcome'], status.code ?? 0]),
      [
        ['a', 'ok', 0],
        ['b', 'ok', 0],
        ['c', 'tool_error', ERROR],
      ],
    );
    assert.equal(all[2]?.attributes['error.type'], 'tool_error');
    // What waits for the batch before it runs after that has.
    const [slow] = childrenOf(collector, all[0] as KeptSpan, 'run');
    const [waiting] = childrenOf(collector, all[2], 'run');
    assert.ok(BigInt(waiting?.startTimeUnixNano ?? 0) >= BigInt(slow?.endTimeUnixNano ?? 0));
  });

  test('of a socket is that of its upgrade, whatever its turn', async (t) => {
    const { server, collector } = await startTraced(t, { tools: [workTool()] });
    const session = await server.session();
    const socket = await server.socket(`/v1/sessions/${session}/stream`, { headers: { traceparent: TRACEPARENT } });
    await socket.type('session');
    for (const id of ['a', 'b']) {
      socket.send({ type: 'tool_use', ...call(id, 'Work') });
      socket.send({ type: 'end' });
    }
    for (const id of ['a', 'b']) {
      const span = await collector.span(({ attributes }) => attributes['gen_ai.tool.call.id'] === id);
      assert.equal(span.traceId, TRACE);
    }
    const turns = [await collector.span(({ name }) => name === 'turn')];
    assert.equal(turns[0]?.parentSpanId, PARENT);
  });

  test('begins anew where the request names none, or none that can be read', async (t) => {
    const traced = await startTraced(t, { tools: [workTool()] });
    const session = await traced.server.session();
    const first = await turnSpan(traced, (await traced.server.post(session, [call('a', 'Work')])).body);
    const broken = { traceparent: '00-nonsense-01' };
    const second = await turnSpan(traced, (await traced.server.post(session, [call('b', 'Work')], broken)).body);
    assert.equal(first.parentSpanId ?? '', '');
    assert.equal(second.parentSpanId ?? '', '');
    assert.notEqual(first.traceId, second.traceId);
  });

  test('shows how long people were waited for, and what they said', async (t) => {
    const traced = await startTraced(t, { tools: [careful] });
    const { server, collector } = traced;
    const session = await server.session({ permissions: { mode: 'default' } });
    const asked = await server.post(session, [call('a', 'Careful', { text: 'x' })]);
    const [pending] = asked.body['pending'] as Json[];
    await server.request('POST', `/v1/sessions/${session}/approvals/${pending?.['id']}`, { behavior: 'deny' });
    const one = await collector.span(({ name }) => name === 'execute_tool Careful');
    const stages = childrenOf(collector, one);
    assert.deepEqual(
      stages.map(({ name, attributes }) => [name, attributes['toolexec.approval.behavior']]),
      [
        ['queued', undefined],
        ['decide', undefined],
        ['approval', 'deny'],
      ],
    );
    for (const stage of stages) assertWithin(stage, one);
    assert.equal(one.attributes['error.type'], 'denied');
  });

  test('never holds what calls were given or gave back', async (t) => {
    const canary = 'canary-Zk3vQ8xw';
    const traced = await startTraced(t, { tools: [workTool()], env: { TOOLEXEC_API_KEYS: `somebody:${canary}-key` } });
    const headers = { authorization: `Bearer ${canary}-key` };
    const made = await traced.server.request('POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } }, headers);
    const message = assistant([call('a', 'Work', { label: canary }), call('b', 'Work', { label: canary, fail: true }), call('c', canary)]);
    // The name of a tool is told, also where there is none: it says what a model has tried.
    const { body } = await traced.server.request('POST', `/v1/sessions/${made.body['id']}/messages`, message, headers);
    const turn = await turnSpan(traced, body);
    assert.equal(turn.attributes['toolexec.key'], 'somebody');
    const sent = traced.collector.requests.map(({ text }) => text).join('');
    assert.ok(sent.includes('tool_error'), 'what was sent is looked through at all');
    assert.equal(sent.replaceAll(`execute_tool ${canary}`, '').replaceAll(`{"stringValue":"${canary}"}`, '').includes(canary), false);
  });

  test('goes on at the server of a custom tool, under the call that asks it', async (t) => {
    const asked: (string | undefined)[] = [];
    const answering = createServer((request, response) => {
      asked.push(request.headers['traceparent'] as string | undefined);
      response.setHeader('content-type', 'application/json').end('{"content": "done"}');
    }).listen(0, '127.0.0.1');
    await once(answering, 'listening');
    t.after(() => answering.close());
    const port = String((answering.address() as AddressInfo).port);
    const { server, collector } = await startTraced(t, { env: { TOOLEXEC_EGRESS_ALLOW: `127.0.0.1:${port}` } });
    const tool = { name: 'Ask', description: 'Asks.', input_schema: { type: 'object' }, http: { url: `http://127.0.0.1:${port}/` } };
    const session = await server.session({ tools: { custom: [tool] } });
    const { body } = await server.post(session, [call('a', 'Ask')], { traceparent: TRACEPARENT });
    assert.equal(body['turn'].calls[0].outcome, 'ok', JSON.stringify(body));
    const one = await collector.span(({ name }) => name === 'execute_tool Ask');
    assert.deepEqual(asked, [`00-${TRACE}-${one.spanId}-01`]);
  });

  test('goes on at an MCP server, under the call that asks it', async (t) => {
    const { settings, asked } = await rawHttpServer(t, (_asked, _response, usual) => usual());
    const { host } = new URL(settings.url);
    const { server, collector } = await startTraced(t, { env: { TOOLEXEC_EGRESS_ALLOW: host } });
    const session = await server.session({ mcp_servers: { raw: settings } });
    const { body } = await server.post(session, [call('a', 'mcp__raw__one')], { traceparent: TRACEPARENT });
    assert.equal(body['turn'].calls[0].outcome, 'ok', JSON.stringify(body));
    const one = await collector.span(({ name }) => name === 'execute_tool mcp__raw__one');
    const [called] = asked.filter(({ method }) => method === 'tools/call');
    assert.equal(called?.meta['traceparent'], `00-${TRACE}-${one.spanId}-01`);
  });

  test('goes on at an http hook, under the call it is about, and shows how long the hook was waited for', async (t) => {
    const heard: { readonly event: string; readonly traceparent: string | undefined; readonly from: number; readonly to: number }[] = [];
    const answering = createServer((request, response) => {
      const from = Date.now();
      const traceparent = request.headers['traceparent'] as string | undefined;
      void (async () => {
        const { hook_event_name: event } = (await json(request)) as Json;
        await sleep(30);
        heard.push({ event, traceparent, from, to: Date.now() });
        response.setHeader('content-type', 'application/json').end('{}');
      })();
    }).listen(0, '127.0.0.1');
    await once(answering, 'listening');
    t.after(() => answering.close());
    const url = `http://127.0.0.1:${(answering.address() as AddressInfo).port}/`;
    const hook = [{ hooks: [{ type: 'http', url }] }];
    const env = await withConfigFile(t, { hooks: { PreToolUse: hook, PostToolUse: hook } });
    const { server, collector } = await startTraced(t, { tools: [workTool()], env });
    const session = await server.session();
    const { body } = await server.post(session, [call('a', 'Work')], { traceparent: TRACEPARENT });
    assert.equal(body['turn'].calls[0].outcome, 'ok', JSON.stringify(body));
    const one = await collector.span(({ name }) => name === 'execute_tool Work');
    const parent = `00-${TRACE}-${one.spanId}-01`;
    assert.deepEqual(
      heard.map(({ event, traceparent }) => [event, traceparent]),
      [
        ['PreToolUse', parent],
        ['PostToolUse', parent],
      ],
    );
    const [decide] = childrenOf(collector, one, 'decide');
    const [asked] = heard;
    assert.ok(decide !== undefined && asked !== undefined);
    // As long as the hook took to answer, but for the parts of a millisecond that its clock does not count.
    const decidedMs = Number(BigInt(decide.endTimeUnixNano) - BigInt(decide.startTimeUnixNano)) / 1e6;
    assert.ok(decidedMs >= asked.to - asked.from - 2, `${decidedMs} ms for ${asked.to - asked.from} ms`);
  });

  test('of a turn that is discarded or aborted ends with it', async (t) => {
    const trace = newTrace();
    const traced = await startTraced(t, { tools: [workTool(trace)] });
    const { server, collector } = traced;
    const session = await server.session();
    for (const [how, status] of [
      ['discard', 'discarded'],
      ['abort', 'aborted'],
    ] as const) {
      const posted = server.post(session, [call(how, 'Work', { ms: 60_000 })]);
      await trace.until(() => trace.started.includes(how));
      const [open] = (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
      await server.request('POST', `/v1/sessions/${session}/turns/${open.id}/${how}`);
      const turn = await turnSpan(traced, (await posted).body);
      assert.deepEqual([turn.attributes['toolexec.turn.status'], turn.status.code], [status, ERROR]);
      const ended = await collector.span(({ attributes }) => attributes['gen_ai.tool.call.id'] === how);
      assert.equal(ended.attributes['error.type'], status);
    }
  });

  test('is sent in full before the service ends, of turns that wait for people too', async (t) => {
    const traced = await startTraced(t, { tools: [careful, workTool()], env: { OTEL_BSP_SCHEDULE_DELAY: '600000' } });
    const { server, collector } = traced;
    const session = await server.session({ permissions: { mode: 'default' } });
    await server.post(session, [call('a', 'Careful')]);
    assert.equal(collector.spans.length, 0);
    await server.close();
    const turn = collector.spans.find(({ name }) => name === 'turn');
    assert.equal(turn?.attributes['toolexec.turn.status'], 'unfinished');
    assert.ok(collector.spans.some(({ name }) => name === 'execute_tool Careful'));
  });
});

describe('the variables of OpenTelemetry', () => {
  test('say where traces go, with which headers, under which name, and how many', async (t) => {
    const { server, collector } = await startTraced(t, {
      tools: [workTool()],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1/nowhere',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '',
      },
    });
    await server.close();
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20b,x-other=1',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_SERVICE_NAME: 'tools-of-team-a',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    };
    const named = await startTraced(t, { tools: [workTool()], env });
    const session = await named.server.session();
    await named.server.post(session, [call('a', 'Work')]);
    await named.server.post(session, [call('b', 'Work')], { traceparent: TRACEPARENT });
    const turn = await collector.span(({ name }) => name === 'turn');
    assert.equal(turn.traceId, TRACE, 'only the trace whose sender wants it');
    assert.deepEqual([turn.resource['service.name'], turn.resource['deployment.environment.name']], ['tools-of-team-a', 'test']);
    const [sent] = collector.requests;
    assert.deepEqual([sent?.path, sent?.headers['x-token'], sent?.headers['content-encoding']], ['/own/path', 'a b', 'gzip']);
  });

  test('that are not set cost nothing: the library is not even loaded, and a collector that is away harms no turn', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-traces-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const told = 'import { registerHooks } from "node:module"; registerHooks({ resolve(name, context, next) {';
    const hook = `${told} if (name === "@opentelemetry/sdk-trace") console.log("loads " + name); return next(name, context); } });`;
    const env = { TOOLEXEC_DATA_DIR: dataDir, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
    const run = async (more: Record<string, string>): Promise<{ loaded: boolean; log: string[] }> => {
      const server = await startProcess(t, { ...env, ...more });
      const message = { ...assistant([call('a', 'Glob', { pattern: '*' })]), session: {} };
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${server.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(message) });
      assert.equal(((await reply.json()) as Json)['turn'].status, 'completed');
      if (more['OTEL_EXPORTER_OTLP_ENDPOINT'] !== undefined) {
        while (!server.log.some((line) => line.includes('traces could not be sent'))) await sleep(20);
      }
      assert.equal(await server.end('SIGTERM'), 0);
      return { loaded: server.log.some((line) => line.startsWith('loads ')), log: server.log };
    };
    assert.equal((await run({})).loaded, false);
    const away = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-token=canary-token',
    });
    assert.equal(away.loaded, true);
    assert.ok(!away.log.join('\n').includes('canary-token'));
    assert.ok(!away.log.some((line) => line.includes('are not settings')));
  });
});
