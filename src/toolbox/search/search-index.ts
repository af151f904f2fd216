// Tools by words: what they are called, what they say of themselves and what their parameters are called, ranked by BM25.
import MiniSearch, { type Query, type SearchOptions } from 'minisearch';
import type { DescribeContext, Tool } from '../../contract/index.ts';
import { definitionOf } from './search-definition.ts';
import { alikeTo, isFiller, stem, wordsOf } from './search-words.ts';

export interface Keywords {
  readonly words: readonly string[];
  /** Each must occur, as it is or as the beginning of a word. */
  readonly required: readonly string[];
}

export interface SearchIndex {
  /** Best first; without those that fit much worse than the best. */
  rank(keywords: Keywords): Tool[];
}

/** Characters of one description that are indexed. */
const MAX_DESCRIPTION_CHARS = 2_000;
/** Parameters of one tool that are indexed. */
const MAX_PARAMETERS = 100;
/** Words of a query that count. */
const MAX_WORDS = 20;
/** Tools that are indexed before others get their turn. */
const CHUNK = 50;

const SCORING = { boost: { name: 3, hint: 2, description: 1, parameters: 0.5 } } as const satisfies SearchOptions;
/** Share of the best score below which a tool is no match. */
const MIN_SHARE = 0.25;
/** What other words for the same thing count beside the word itself. */
const ALIKE_WEIGHT = 0.4;

/** Indexes step by step, so that thousands of tools do not hold up the service. */
export async function buildSearchIndex(tools: readonly Tool[], context: DescribeContext): Promise<SearchIndex> {
  const index = new MiniSearch<Entry>({
    fields: Object.keys(TEXTS),
    extractField: ({ id, tool }, field) => TEXTS[field]?.(tool, context) ?? id,
    tokenize: wordsOf,
    processTerm: (word) => (isFiller(word) ? null : stem(word)),
  });
  await index.addAllAsync(
    tools.map((tool, id) => ({ id, tool })),
    { chunkSize: CHUNK },
  );
  return {
    rank(keywords) {
      const found = index.search(queryOf(keywords), SCORING);
      const least = (found[0]?.score ?? 0) * MIN_SHARE;
      return found.flatMap(({ id, score }) => (score < least ? [] : (tools[id as number] ?? [])));
    },
  };
}

interface Entry {
  readonly id: number;
  readonly tool: Tool;
}

/** What is searched of a tool, by field. */
const TEXTS: Readonly<Record<string, (tool: Tool, context: DescribeContext) => string>> = {
  name: ({ name, aliases }) => [name.replace(/^mcp__/, ''), ...aliases].join(' '),
  hint: ({ searchHint }) => searchHint.slice(0, MAX_DESCRIPTION_CHARS),
  description: (tool, context) => definitionOf(tool, context).description.slice(0, MAX_DESCRIPTION_CHARS),
  parameters: (tool, context) => parametersOf(tool, context).slice(0, MAX_PARAMETERS).join(' '),
};

function parametersOf(tool: Tool, context: DescribeContext): string[] {
  return Object.keys(definitionOf(tool, context).input_schema['properties'] ?? {});
}

/** Of keywords alone any may fit; required ones must all. */
function queryOf({ words, required }: Keywords): Query {
  const must = termsOf(required).map((term) => ({ queries: [term], prefix: true }));
  const any = { combineWith: 'OR', queries: [...termsOf(words), ...termsOf(required)].map(looselyMatched) } as const;
  return must.length === 0 ? any : { combineWith: 'AND', queries: [...must, any] };
}

function termsOf(words: readonly string[]): string[] {
  const terms = new Set(words.flatMap(wordsOf));
  return [...terms].slice(0, MAX_WORDS);
}

function looselyMatched(term: string): Query {
  const alike = alikeTo(stem(term));
  const itself: Query = { queries: [term], prefix: (word) => word.length > 2, fuzzy: (word) => (word.length > 4 ? 0.2 : false) };
  if (alike.length === 0) return itself;
  return { combineWith: 'OR', queries: [itself, { queries: [alike.join(' ')], boostTerm: () => ALIKE_WEIGHT }] };
}
