// Finishes the OpenAPI document that the routes' schemas give: components under one name each, what the schemas cannot
// say, and one description of problems for all operations.
import type { OpenAPIV3_1 } from 'openapi-types';
import { z } from 'zod';
import { referredSchemas, schemaRef } from './document-schemas.ts';
import { MessageShapes } from './message-schemas.ts';
import { HEADER_NAMES, REPLY_HEADERS, REQUEST_HEADERS } from './openapi-headers.ts';
import { OPERATIONS } from './openapi-operations.ts';
import { TAGS } from './openapi-tags.ts';
import type { OperationDocs, ReplyDocs } from './operation-docs.ts';
import { PROBLEM_STATUS } from '../problem-details.ts';

type Document = OpenAPIV3_1.Document;
type Operation = OpenAPIV3_1.OperationObject;
type Content = Record<string, OpenAPIV3_1.MediaTypeObject>;
type Schemas = Record<string, OpenAPIV3_1.SchemaObject>;

/** Set by the plugin on operations that honour `Idempotency-Key`. */
export const IDEMPOTENT = 'x-idempotent';

export function finishOpenapi(document: Document): Document {
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => describePath(path, item ?? {}));
  const { openapi, info, servers, security, components } = document;
  const finished = {
    openapi,
    info,
    ...(servers && { servers }),
    ...(security && { security }),
    tags: TAGS.map((tag) => ({ ...tag })),
    paths: Object.fromEntries(paths.toSorted((a, b) => a.rank - b.rank).map(({ path, operations }) => [path, operations])),
    components: {
      ...(components?.securitySchemes && { securitySchemes: components.securitySchemes }),
      parameters: REQUEST_HEADERS,
      headers: REPLY_HEADERS,
      responses: { ClientError: problemReply(400), ServerError: problemReply(500) },
      schemas: withMessageShapes(components?.schemas ?? {}),
    },
  };
  // Plain JSON from here on: what is undefined or read-only would only be in the way.
  return withPlainNames(JSON.parse(JSON.stringify(finished)) as Document);
}

/** Ranked by its tag, so that what a reader needs first stands first. */
function describePath(path: string, item: OpenAPIV3_1.PathItemObject) {
  const described = Object.entries(item).map(([method, operation]): [string, Operation] => {
    return [method, describeOperation(operation as Operation, OPERATIONS[`${method.toUpperCase()} ${path}`])];
  });
  const rank = TAGS.findIndex(({ name }) => described[0]?.[1].tags?.includes(name));
  return { path, rank, operations: Object.fromEntries(described) };
}

function describeOperation(operation: Operation, docs: OperationDocs | undefined): Operation {
  const {
    [IDEMPOTENT]: idempotent,
    parameters = [],
    requestBody,
    responses = {},
    ...rest
  } = operation as Operation & { [IDEMPOTENT]?: boolean };
  const headers = [...(idempotent === true ? (['IdempotencyKey'] as const) : []), ...(docs?.headers ?? [])];
  const all = [...inPathFirst(parameters), ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` }))];
  return {
    ...(docs && { operationId: docs.operationId }),
    ...rest,
    ...(docs?.description !== undefined && { description: docs.description }),
    ...(all.length > 0 && { parameters: all }),
    ...(docs?.rawBody && { requestBody: { required: true, content: docs.rawBody } }),
    ...(requestBody && { requestBody: describeBody(requestBody as OpenAPIV3_1.RequestBodyObject, docs?.body) }),
    responses: describeReplies(responses as Record<string, OpenAPIV3_1.ResponseObject>, docs?.replies ?? {}),
  };
}

function inPathFirst(parameters: NonNullable<Operation['parameters']>): NonNullable<Operation['parameters']> {
  const isInPath = (parameter: object): boolean => 'in' in parameter && parameter.in === 'path';
  return [...parameters.filter(isInPath), ...parameters.filter((parameter) => !isInPath(parameter))];
}

/** A body that may be `null` is one that may be left out. */
function describeBody({ content, ...body }: OpenAPIV3_1.RequestBodyObject, docs: OpenAPIV3_1.MediaTypeObject | undefined) {
  const media = content['application/json'] ?? {};
  const choices = media.schema !== undefined && 'anyOf' in media.schema ? media.schema.anyOf : undefined;
  const given = choices?.filter((choice) => !('type' in choice && choice.type === 'null'));
  const optional = given !== undefined && given.length < (choices?.length ?? 0);
  const schema = optional && given.length === 1 ? given[0] : media.schema;
  return { ...body, required: !optional, content: { 'application/json': { ...media, ...(schema && { schema }), ...docs } } };
}

function describeReplies(
  replies: Record<string, OpenAPIV3_1.ResponseObject>,
  docs: Readonly<Record<string, ReplyDocs>>,
): OpenAPIV3_1.ResponsesObject {
  const described = Object.keys({ ...replies, ...docs })
    .filter((status) => /^\d+$/.test(status))
    .map((status) => [status, describeReply(status, replies[status], docs[status])]);
  const problems = Object.keys(replies).flatMap((status) => {
    if (/^\d+$/.test(status)) return [];
    return [[status, { $ref: `#/components/responses/${status === '4XX' ? 'ClientError' : 'ServerError'}` }]];
  });
  return Object.fromEntries([...described, ...problems]) as OpenAPIV3_1.ResponsesObject;
}

/** An import of `node:http` would load all that it offers, the client of `fetch` with it, at the start. */
function nameOfStatus(status: string): string {
  return process.getBuiltinModule('node:http').STATUS_CODES[status] ?? status;
}

function describeReply(status: string, reply: OpenAPIV3_1.ResponseObject | undefined, docs: ReplyDocs = {}): OpenAPIV3_1.ResponseObject {
  const content = layContent(reply?.content ?? {}, docs.content ?? {});
  return {
    description: docs.description ?? nameOfStatus(status),
    ...(docs.headers && { headers: replyHeaders(docs.headers) }),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

/** A media type with a schema of its own stands for itself; without one it adds to what the route says. */
function layContent(routes: Content, docs: Readonly<Content>): Content {
  const named = Object.entries(docs).map(([type, media]) => [type, { ...routes[type], ...media }]);
  const replaced = Object.keys(docs).length > 0 && !('application/json' in docs);
  return { ...(replaced ? {} : routes), ...(Object.fromEntries(named) as Content) };
}

function replyHeaders(names: NonNullable<ReplyDocs['headers']>): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [HEADER_NAMES[name], { $ref: `#/components/headers/${name}` }]));
}

function problemReply(from: number): OpenAPIV3_1.ResponseObject {
  const slugs = new Map<number, string[]>();
  for (const [slug, status] of Object.entries(PROBLEM_STATUS)) {
    if (status >= from && status < from + 100) slugs.set(status, [...(slugs.get(status) ?? []), `\`${slug}\``]);
  }
  const lines = [...slugs].map(([status, names]) => `- ${status}: ${names.join(', ')}`);
  return {
    description: `A problem. Its \`type\` is \`/problems/<slug>\`, with one of these slugs:\n\n${lines.join('\n')}`,
    headers: replyHeaders(['RetryAfter']),
    content: { 'application/problem+json': { schema: schemaRef('Problem') } },
  };
}

/** Bodies are read by the formats, so their schemas say little: the shapes that are read stand beside them. */
function withMessageShapes(schemas: Schemas): Schemas {
  const anyOf = Object.values(MessageShapes).map((shape) => schemaRef(`${z.globalRegistry.get(shape)?.id}Input`));
  const bodies = ['AssistantMessageInput', 'OneShotMessageInput'].flatMap((name) => {
    const schema = schemas[name];
    return schema === undefined ? [] : [[name, { ...schema, anyOf }]];
  });
  return { ...schemas, ...(Object.fromEntries(bodies) as Schemas) };
}

/** Keeps the schemas that are referred to, by name, and takes the mark off those that are for requests alone. */
function withPlainNames(document: Document): Document {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const used = referredSchemas([document.paths, document.components?.responses], schemas);
  const plain = (name: string): string => (name.endsWith('Input') && !used.has(name.slice(0, -5)) ? name.slice(0, -5) : name);
  const kept = [...used].toSorted((a, b) => (plain(a) < plain(b) ? -1 : 1)).map((name) => [plain(name), schemas[name]]);
  const finished = { ...document, components: { ...document.components, schemas: Object.fromEntries(kept) as Schemas } };
  return JSON.parse(JSON.stringify(finished), (key, value: unknown) => {
    return key === '$ref' && typeof value === 'string' ? value.replace(/[^/]+$/, plain) : value;
  }) as Document;
}
