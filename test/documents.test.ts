import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test, type TestContext } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import { parse } from 'yaml';
import { DOCUMENT_FILES, generateDocuments } from '../scripts/documents.ts';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { streamFormat } from '../src/formats/recognise-stream.ts';
import { OPERATIONS } from '../src/plugins/documents/openapi-operations.ts';
import { ANTHROPIC_STREAM_TYPES } from '../src/formats/recognise-stream.ts';
import { startServer, type Json } from './support/server.ts';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
/** Answers that are read by people and tools, not by programs of the API's users. */
const HIDDEN = /^\/($|(docs|console)($|\/|\*)|openapi\.|asyncapi\.)/;
const formats = {
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  uri: (text: string) => URL.canParse(text),
  base64: /^[A-Za-z0-9+/]*={0,2}$/,
};

let generated: Awaited<ReturnType<typeof generateDocuments>>;
let openapi: Json;
let asyncapi: Json;

before(async () => {
  generated = await generateDocuments();
  openapi = parse(generated.openapi) as Json;
  asyncapi = parse(generated.asyncapi) as Json;
});

for (const name of ['openapi', 'asyncapi'] as const) {
  test(`${name}.yaml is what the routes say`, async () => {
    const onDisk = await readFile(DOCUMENT_FILES[name], 'utf8');
    assert.ok(onDisk === generated[name], `${name}.yaml is not what the routes say: run npm run openapi and commit the file.`);
  });
}

describe('openapi.yaml', () => {
  test('is a valid OpenAPI 3.1 document whose references all lead somewhere', async () => {
    const validator = new Validator();
    assert.deepEqual(await validator.validate(structuredClone(openapi)), { valid: true });
    assert.equal(validator.version, '3.1');
    assertReferences(openapi);
  });

  test('names every route that there is, and no other', async (t) => {
    const app = await startApp(t);
    const documented = operations().map(
      ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\/\{path\}$/, '*').replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    const sockets = Object.values(asyncapi['channels'] as Json).map(
      ({ address }: Json) => `GET ${address.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    const routes = listRoutes(app).filter((route) => !HIDDEN.test(route.split(' ')[1] ?? ''));
    assert.deepEqual(routes.toSorted(), [...documented, ...sockets].toSorted());
  });

  test('says of every operation what its schemas cannot say, and of no other', () => {
    const documented = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    assert.deepEqual(Object.keys(OPERATIONS).toSorted(), documented.toSorted());
  });

  test('gives every operation a name of its own, a known tag, a success and a way to fail', () => {
    const names = operations().map(({ operation }) => String(operation['operationId'] ?? '(none)'));
    assert.deepEqual(
      names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name)),
      [],
    );
    assert.equal(new Set(names).size, names.length);
    const tags = (openapi['tags'] as Json[]).map(({ name }) => name as string);
    for (const { method, path, operation } of operations()) {
      const where = `${method} ${path}`;
      assert.ok(operation['summary'], `${where} has no summary`);
      assert.ok(tags.includes(operation['tags']?.[0]), `${where} has no tag that is described`);
      assert.ok(
        Object.keys(operation['responses']).some((status) => /^2\d\d$/.test(status)),
        `${where} never succeeds`,
      );
      if (path.startsWith('/v1/')) assert.ok(operation['responses']['4XX'], `${where} never fails`);
    }
  });

  test('says that problems are problem+json, and lists every slug', () => {
    const { ClientError, ServerError } = openapi['components'].responses as Json;
    for (const reply of [ClientError, ServerError]) assert.deepEqual(Object.keys(reply.content), ['application/problem+json']);
    assert.match(ClientError.description, /404: `not-found`, `session-not-found`/);
    assert.match(ServerError.description, /503: `draining`/);
  });

  test('takes Idempotency-Key exactly where the service honours it', async (t) => {
    const { url } = await startServer(t);
    const taking = operations().filter(({ operation }) => JSON.stringify(operation['parameters'] ?? []).includes('/IdempotencyKey"'));
    assert.deepEqual(taking.map(({ method, path }) => `${method} ${path}`).toSorted(), [
      'post /v1/call',
      'post /v1/messages',
      'post /v1/sessions',
      'post /v1/sessions/{id}/messages',
    ]);
    const make = () => fetch(`${url}/v1/sessions`, { method: 'POST', headers: { 'idempotency-key': 'k' } });
    const [first, second] = [await make(), await make()];
    assert.equal(first.headers.get('location'), second.headers.get('location'));
    assert.equal(second.headers.get('toolexec-replayed'), 'true');
  });

  test('has only examples that its own schemas take', () => {
    const ajv = withSchemas(new Ajv2020({ strict: false, formats }), openapi);
    let count = 0;
    for (const media of mediaTypes(openapi['paths'])) {
      const validate = ajv.compile(absolute(media['schema']));
      for (const [name, { value }] of Object.entries((media['examples'] ?? {}) as Record<string, Json>)) {
        count += 1;
        assert.ok(validate(value), `example ${name}: ${ajv.errorsText(validate.errors)}`);
      }
    }
    assert.ok(count > 10);
  });

  test('is served to whoever asks, with asyncapi.yaml beside it', async (t) => {
    const { url } = await startServer(t, { env: { TOOLEXEC_API_KEYS: 'me:secret-key' } });
    for (const name of ['openapi', 'asyncapi'] as const) {
      const reply = await fetch(`${url}/${name}.yaml`);
      assert.equal(reply.headers.get('content-type'), 'application/yaml; charset=utf-8');
      assert.equal(await reply.text(), generated[name]);
    }
    assert.deepEqual(await (await fetch(`${url}/openapi.json`)).json(), openapi);
    assert.equal((await fetch(`${url}/v1/sessions`)).status, 401);
  });
});

describe('asyncapi.yaml', () => {
  test('has only references that lead somewhere, and schemas that compile', () => {
    assert.equal(asyncapi['asyncapi'], '3.0.0');
    assertReferences(asyncapi);
    const ajv = withSchemas(new Ajv({ formats }), asyncapi);
    for (const name of Object.keys(asyncapi['components'].schemas)) assert.ok(ajv.getSchema(`schema:${name}`), name);
  });

  test('has only examples that its own schemas take', () => {
    const ajv = withSchemas(new Ajv({ formats }), asyncapi);
    const messages = Object.values(asyncapi['components'].messages as Json) as Json[];
    const examples = messages.flatMap(({ payload, examples: given = [] }) =>
      given.map((example: Json) => ({ payload, example: example['payload'] })),
    );
    assert.ok(examples.length > 5);
    for (const { payload, example } of examples) {
      const validate = ajv.compile(absolute(payload));
      assert.ok(validate(example), `${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`);
    }
  });

  test('names the stream events of a model as the service recognises them', () => {
    for (const type of ANTHROPIC_STREAM_TYPES) assert.equal(streamFormat({ type }), 'anthropic');
    const { openai_chat_chunk, openai_responses_event, anthropic_stream_event } = asyncapi['components'].messages as Json;
    assert.equal(streamFormat(openai_chat_chunk.examples[0].payload), 'openai_chat');
    assert.equal(streamFormat(openai_responses_event.examples[0].payload), 'openai_responses');
    assert.equal(streamFormat(anthropic_stream_event.examples[0].payload), 'anthropic');
  });
});

async function startApp(t: TestContext): Promise<FastifyInstance> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-documents-'));
  const app = await buildApp({ config: readConfig({ TOOLEXEC_DATA_DIR: dataDir }), logger: undefined });
  t.after(async () => {
    await app.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  await app.ready();
  return app;
}

/** Every route as `METHOD /path`, read off the tree that Fastify draws. */
function listRoutes(app: FastifyInstance): string[] {
  const parents: string[] = [];
  const tree = app.printRoutes({ commonPrefix: false });
  return tree.split('\n').flatMap((line) => {
    const match = /^(.*?)(?:├|└)── (\S+)(?: \((.*)\))?$/.exec(line);
    if (match === null) return [];
    const [, indent = '', segment = '', methods = ''] = match;
    const depth = indent.length / 4;
    const path = (parents[depth - 1] ?? '') + segment;
    parents[depth] = path;
    return methods.split(', ').flatMap((method) => (METHODS.includes(method.toLowerCase()) ? [`${method} ${path}`] : []));
  });
}

function operations(): { method: string; path: string; operation: Json }[] {
  return Object.entries(openapi['paths'] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({ method, path, operation: operation as Json })),
  );
}

/** All that have a schema and examples, in request and reply bodies. */
function mediaTypes(paths: Json): Json[] {
  const bodies = Object.values(paths).flatMap((item: Json) =>
    Object.values(item).flatMap((operation: Json) => [operation['requestBody'], ...Object.values(operation['responses'] as Json)]),
  );
  return bodies
    .flatMap((body: Json | undefined) => Object.entries((body?.['content'] ?? {}) as Json))
    .flatMap(([type, media]) => (type === 'application/json' ? [media as Json] : []));
}

function assertReferences(document: Json): void {
  for (const [, pointer = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer.split('/').reduce<unknown>((part, key) => (part as Json | undefined)?.[key], document);
    assert.ok(found !== undefined, `#/${pointer} leads nowhere`);
  }
}

/** @param ajv that gets every named schema of the document */
function withSchemas<Validator extends Ajv | Ajv2020>(ajv: Validator, document: Json): Validator {
  for (const [name, schema] of Object.entries(document['components'].schemas as Json)) ajv.addSchema(absolute(schema), `schema:${name}`);
  return ajv;
}

/** The same schema, for use outside of its document. */
function absolute(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"schema:')) as Json;
}
