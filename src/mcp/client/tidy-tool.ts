// What a server says of a tool in words is read by models and people: the words are tidied, what calls depend on is not.
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { mapTexts } from './map-texts.ts';

type Tidy = (text: string) => string;

/** Keywords whose texts mean something to a validator. */
const MEANING = new Set([
  'type',
  'enum',
  'const',
  'required',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  '$schema',
  '$id',
  '$ref',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
]);

/** @throws RangeError for a schema that is nested too deeply */
export function tidyTool(tool: ServerTool, tidy: Tidy): ServerTool {
  const { title, description, annotations, inputSchema } = tool;
  return {
    ...tool,
    ...(title !== undefined && { title: tidy(title) }),
    ...(description !== undefined && { description: tidy(description) }),
    ...(annotations?.title !== undefined && { annotations: { ...annotations, title: tidy(annotations.title) } }),
    // It keeps its form: only texts are others.
    inputSchema: tidySchema(inputSchema, tidy) as ServerTool['inputSchema'],
  };
}

/** The words of a schema, changed. @throws RangeError for one that is nested too deeply */
export function tidySchema(schema: unknown, tidy: Tidy): unknown {
  if (Array.isArray(schema)) return schema.map((each) => tidySchema(each, tidy));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isText(value) ? tidyKeyword(key, value, tidy) : tidySchema(value, tidy)]),
  );
}

function tidyKeyword(key: string, value: unknown, tidy: Tidy): unknown {
  return MEANING.has(key) ? value : mapTexts(value, tidy);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.some((each) => typeof each === 'string'));
}
