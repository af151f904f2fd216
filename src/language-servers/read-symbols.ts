// Symbols, from what servers answer: as a tree of one file, or as a list.
import { z } from 'zod';
import { MAX_CODE_RESULTS, type CodeSymbol } from '../contract/index.ts';
import { listed, placeAt, Range, startOf } from './read-places.ts';

const MAX_NAME = 200;
const MAX_DEPTH = 20;
/** Entries of an answer that are looked at, whether or not they can be read. */
const MAX_LOOKED_AT = 10 * MAX_CODE_RESULTS;

/** In the order of their numbers in the protocol. */
const KINDS = (
  'file module namespace package class method property field constructor enum interface function variable constant string number ' +
  'boolean array object key null enum-member struct event operator type-parameter'
).split(' ');

const Named = z.object({ name: z.string(), kind: z.number() });
const TreeSymbol = Named.extend({ selectionRange: Range, children: z.array(z.unknown()).optional() });
const ListedSymbol = Named.extend({
  location: z.object({ uri: z.string(), range: Range.optional() }),
  containerName: z.string().nullish(),
});
/** Where a server tells the file alone. */
const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** @param path the file that was asked about: a tree names none */
export function readSymbols(answer: unknown, path: string): CodeSymbol[] {
  const found: CodeSymbol[] = [];
  addSymbols(listed(answer), { path, depth: 0, found, looks: { left: MAX_LOOKED_AT } });
  return found;
}

interface Place {
  readonly path: string;
  readonly depth: number;
  readonly container?: string;
  readonly found: CodeSymbol[];
  readonly looks: { left: number };
}

function addSymbols(symbols: readonly unknown[], { path, depth, container, found, looks }: Place): void {
  for (const symbol of symbols) {
    looks.left -= 1;
    if (found.length >= MAX_CODE_RESULTS || looks.left < 0) return;
    const inTree = TreeSymbol.safeParse(symbol).data;
    if (inTree === undefined) {
      found.push(...readListed(symbol));
      continue;
    }
    const { name, kind } = namedOf(inTree);
    found.push({ path, ...startOf(inTree.selectionRange), name, kind, depth, ...(container !== undefined && { container }) });
    if (depth < MAX_DEPTH) addSymbols(inTree.children ?? [], { path, depth: depth + 1, container: name, found, looks });
  }
}

function readListed(symbol: unknown): CodeSymbol[] {
  const { data } = ListedSymbol.safeParse(symbol);
  if (data === undefined) return [];
  const container = data.containerName?.slice(0, MAX_NAME);
  const rest = { ...namedOf(data), depth: 0, ...(container && { container }) };
  return placeAt(data.location.uri, data.location.range ?? START).map((place) => ({ ...place, ...rest }));
}

function namedOf({ name, kind }: z.output<typeof Named>): { name: string; kind: string } {
  return { name: name.slice(0, MAX_NAME), kind: KINDS[kind - 1] ?? 'symbol' };
}
