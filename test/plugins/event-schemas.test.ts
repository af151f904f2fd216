import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { buildTool } from '../../src/contract/index.ts';
import { asyncapiDocument } from '../../src/plugins/documents/asyncapi.ts';
import { SERVER_MESSAGES } from '../../src/plugins/documents/asyncapi-messages.ts';
import { LogEvent, StreamEvent } from '../../src/plugins/documents/event-schemas.ts';
import { assistant, call, startServer, type Json } from '../support/server.ts';

const harmless = {
  description: () => 'A test tool.',
  isConcurrencySafe: () => true,
  isReadOnly: () => true,
  permissionSubjects: (_input: unknown, { workspace }: { workspace: string }) => [
    { kind: 'path', access: 'read', path: workspace } as const,
  ],
};

/** Tells how it goes on, and leaves the session in another state. */
const talkative = buildTool({
  ...harmless,
  name: 'Talkative',
  inputSchema: z.looseObject({ times: z.number() }),
  async *call({ times }) {
    for (let n = 0; n < times; n += 1) yield { type: 'progress' as const, data: { n } };
    const todo = { content: 'Look', status: 'in_progress', activeForm: 'Looking' } as const;
    return { content: 'said', contextModifier: (state) => ({ ...state, todos: [todo] }) };
  },
});

/** Runs until it is stopped. */
const patient = buildTool({
  ...harmless,
  name: 'Patient',
  inputSchema: z.looseObject({}),
  call: async (_input, { signal }) => {
    await once(signal, 'abort');
    return { content: 'stopped' };
  },
});

/** Fails on a key that is missing, wrong, or not described. */
function assertDescribed(frame: Json, schema: z.ZodType | undefined): void {
  const described = schema?.safeParse(frame);
  assert.ok(described?.success, `${JSON.stringify(frame)}\n${described?.error?.message ?? 'no schema of this type'}`);
  assert.deepEqual(described.data, frame, 'the event has keys that its schema does not describe');
}

describe('the events of a real run', () => {
  test('are what their schemas say, each frame of a socket from the first to the last', async (t) => {
    const server = await startServer(t, { tools: [talkative, patient] });
    await writeFile(join(server.root, 'notes.md'), '# Notes\nHello.\n');
    const session = await server.session({ workspace: { path: server.root }, permissions: { mode: 'default' } });
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    await socket.type('session');

    socket.send({ type: 'tool_use', id: 'a', name: 'Read', input: { file_path: 'notes.md', limit: '1' }, ref: 'first' });
    socket.send({ type: 'tool_use', id: 'b', name: 'Read', input: { file_path: 'missing.md' } });
    socket.send({ type: 'tool_use', id: 'c', name: 'Write', input: { file_path: 'new.md', content: 'x' } });
    socket.send({ type: 'tool_use', id: 'd', name: 'NoSuchTool', input: {} });
    socket.send({ type: 'tool_use', id: 'e', name: 'Talkative', input: { times: 3 } });
    socket.send({ type: 'end' });
    const { approval } = await socket.type('approval_requested');
    socket.send({ type: 'approval', approval_id: approval.id, behavior: 'deny' });
    const done = await socket.type('turn_completed');
    assert.deepEqual(
      done['turn'].calls.map(({ outcome }: Json) => outcome),
      ['ok', 'tool_error', 'denied', 'unknown_tool', 'ok'],
    );

    socket.send({ type: 'tool_use', id: 'f', name: 'Patient', input: {} });
    await socket.until(({ type, tool_use_id }) => type === 'call_started' && tool_use_id === 'f');
    const watcher = await server.socket(`/v1/sessions/${session}/stream?after=0`);
    const hello = await watcher.type('session');
    assert.equal(hello['open_turns'][0].calls[0].name, 'Patient');
    socket.send({ type: 'discard' });
    await socket.type('turn_discarded');
    socket.send({ type: 'ping' });
    socket.send({ type: 'nonsense', ref: 2 });
    await socket.type('error');
    await watcher.type('turn_discarded');

    const frames = [...socket.frames, ...watcher.frames];
    for (const frame of frames) assertDescribed(frame, SERVER_MESSAGES[frame['type'] as string]);
    const seen = new Set(frames.map(({ type }) => type as string));
    const unseen = Object.keys(SERVER_MESSAGES).filter((type) => !seen.has(type));
    assert.deepEqual(unseen.toSorted(), ['client_call', 'gap', 'task_finished']);
    assertPublished(frames);
  });

  for (const [format, message] of Object.entries({
    anthropic: assistant([call('a', 'Talkative', { times: 1 })]),
    openai_chat: {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'Talkative', arguments: '{"times":1}' } }],
    },
    openai_responses: { output: [{ type: 'function_call', call_id: 'a', name: 'Talkative', arguments: '{"times":1}' }] },
  })) {
    test(`are what their schemas say over SSE, with messages as ${format} wants them`, async (t) => {
      const server = await startServer(t, { tools: [talkative] });
      const session = await server.session();
      const reply = await fetch(`${server.url}/v1/sessions/${session}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify(message),
      });
      const events = [...(await reply.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json);
      assert.deepEqual([events[0]?.['format'], events.at(-1)?.['type']], [format, 'turn_completed']);
      assert.ok(events.some(({ type }) => type === 'progress'));
      for (const event of events) assertDescribed(event, StreamEvent);
    });
  }

  test('are what their schemas say in the log, and so is the gap where it was trimmed', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'toolexec-events-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    await writeFile(join(directory, 'config.json'), JSON.stringify({ limits: { log_events: 10 } }));
    const server = await startServer(t, { tools: [talkative], env: { TOOLEXEC_CONFIG: join(directory, 'config.json') } });
    const session = await server.session();
    for (const id of ['a', 'b', 'c']) await server.post(session, [call(id, 'Talkative', { times: 1 })]);
    const { body } = await server.request('GET', `/v1/sessions/${session}/events`, undefined, { accept: 'application/json' });
    const events = body['data'] as Json[];
    assert.deepEqual([events[0]?.['type'], events.at(-1)?.['type']], ['gap', 'turn_completed']);
    for (const event of events) assertDescribed(event, LogEvent);
  });
});

/** The published schemas take what the service's own take. */
function assertPublished(frames: readonly Json[]): void {
  const { components } = asyncapiDocument({ version: '1' }) as { components: { messages: Json; schemas: Json } };
  const ajv = new Ajv({ formats: { 'date-time': true } });
  const named = (schema: unknown): Json => JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"schema:')) as Json;
  for (const [name, schema] of Object.entries(components.schemas)) ajv.addSchema(named(schema), `schema:${name}`);
  for (const frame of frames) {
    const validate = ajv.compile(named(components.messages[frame['type'] as string].payload));
    assert.ok(validate(frame), `${JSON.stringify(frame)}: ${ajv.errorsText(validate.errors)}`);
  }
}
