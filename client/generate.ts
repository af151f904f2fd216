// Writes client/src/generated.ts: the types of bodies and events, made of openapi.yaml and asyncapi.yaml. Where a schema
// is in both, the OpenAPI one counts.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript';
import { parse } from 'yaml';

export const GENERATED_FILE = fileURLToPath(new URL('src/generated.ts', import.meta.url));

type Json = Record<string, unknown>;
interface OpenApi {
  readonly components: { readonly schemas: Json };
  readonly paths: Record<string, Record<string, { requestBody?: Content; responses: Record<string, Content> }>>;
}
interface Content {
  readonly content?: Record<string, { readonly schema: Json }>;
}

/** Bodies that have no name in the document, by the name that they get. */
const REPLIES = {
  ToolList: ['/v1/tools', 'get', '200'],
  ToolMatches: ['/v1/sessions/{id}/tools/search', 'post', '200'],
  Ticket: ['/v1/sessions/{id}/tickets', 'post', '201'],
  TaskOutput: ['/v1/sessions/{id}/tasks/{task_id}', 'get', '200'],
  ApprovalAnswered: ['/v1/sessions/{id}/approvals/{approval_id}', 'post', '200'],
} as const;
const REQUESTS = {
  ApprovalDecision: ['/v1/sessions/{id}/approvals/{approval_id}', 'post'],
  ResolveRequest: ['/v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/resolve', 'post'],
  ClientResult: ['/v1/sessions/{id}/turns/{turn_id}/calls/{tool_use_id}/result', 'post'],
} as const;

const HEADER =
  '// Made by client/generate.ts from openapi.yaml and asyncapi.yaml: change those and run it again.\n/* oxlint-disable max-lines */';

/** @returns the text of src/generated.ts as the documents have it now */
export async function generateTypes(): Promise<string> {
  const openapi = (await readYaml('../openapi.yaml')) as OpenApi;
  const asyncapi = (await readYaml('../asyncapi.yaml')) as OpenApi;
  const definitions: Json = { ...asyncapi.components.schemas, ...openapi.components.schemas };
  for (const [name, [path, method, status]] of Object.entries(REPLIES)) {
    definitions[name] = jsonSchema(openapi.paths[path]?.[method]?.responses[status], name);
  }
  for (const [name, [path, method]] of Object.entries(REQUESTS)) {
    definitions[name] = jsonSchema(openapi.paths[path]?.[method]?.requestBody, name);
  }
  const sorted = Object.fromEntries(Object.entries(definitions).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const text = await compile(relocated({ definitions: sorted }), 'Documents', {
    additionalProperties: false,
    bannerComment: HEADER,
    declareExternallyReferenced: true,
    unreachableDefinitions: true,
    unknownAny: true,
    style: { printWidth: 140, singleQuote: true },
  });
  return text
    .replace(/export interface Documents \{[^}]*\}\n/, '')
    .replace(ORIGIN, '')
    .replaceAll('/**\n */\n', '');
}

async function readYaml(path: string): Promise<unknown> {
  return parse(await readFile(new URL(path, import.meta.url), 'utf8'));
}

function jsonSchema(body: Content | undefined, name: string): Json {
  const schema = body?.content?.['application/json']?.schema;
  if (schema === undefined) throw new Error(`openapi.yaml has no JSON body for ${name}: correct its path in client/generate.ts.`);
  return schema;
}

/** What the compiler says of where a type comes from. */
const ORIGIN = /(?: \*\n)? \* This interface was referenced by `Documents`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g;
/** Limits that would become tuples. */
const LIMITS = new Set(['maxItems', 'minItems']);

/** The same schemas as a document of their own. A reference stands alone: with words beside it, it would become a second type. */
function relocated(document: Json): Json {
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (LIMITS.has(key) && typeof value === 'number') return undefined;
    if (isReference(value)) return { $ref: value.$ref.replace('#/components/schemas/', '#/definitions/') };
    return isAnything(value) ? { ...value, tsType: 'unknown' } : value;
  });
  return JSON.parse(text) as Json;
}

/** A schema that says nothing but what it is about. */
function isAnything(value: unknown): value is { description: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).join() === 'description' &&
    typeof Object.values(value)[0] === 'string'
  );
}

function isReference(value: unknown): value is { $ref: string } {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string';
}

if (import.meta.main) await writeFile(GENERATED_FILE, await generateTypes());
