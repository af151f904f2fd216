// The questions that are asked by one request each: its name, what it is sent, and what its answer means.
import type { LanguageAnswer, LanguageOperation, LanguageQuestion } from '../contract/index.ts';
import { readHover } from './read-hover.ts';
import { readPlaces } from './read-places.ts';
import { readSymbols } from './read-symbols.ts';
import { uriOf } from './uris.ts';

export interface Request {
  readonly method: string;
  /** What a server that takes it says of itself. */
  readonly ability: string;
  /** What a server that does not take it cannot tell. */
  readonly what: string;
  readonly params: (question: LanguageQuestion) => object;
  readonly read: (answer: unknown, question: LanguageQuestion) => LanguageAnswer;
}

const document = ({ path }: LanguageQuestion): object => ({ textDocument: { uri: uriOf(path) } });
const place = (question: LanguageQuestion): object => ({
  ...document(question),
  position: { line: (question.line ?? 1) - 1, character: (question.character ?? 1) - 1 },
});
const places = (answer: unknown): LanguageAnswer => ({ kind: 'places', places: readPlaces(answer) });
const symbols = (answer: unknown, { path }: LanguageQuestion): LanguageAnswer => ({ kind: 'symbols', symbols: readSymbols(answer, path) });

export const REQUESTS: Readonly<Record<Exclude<LanguageOperation, 'diagnostics'>, Request>> = {
  definition: {
    method: 'textDocument/definition',
    ability: 'definitionProvider',
    what: 'where something is defined',
    params: place,
    read: places,
  },
  implementation: {
    method: 'textDocument/implementation',
    ability: 'implementationProvider',
    what: 'where something is implemented',
    params: place,
    read: places,
  },
  references: {
    method: 'textDocument/references',
    ability: 'referencesProvider',
    what: 'where something is used',
    params: (question) => ({ ...place(question), context: { includeDeclaration: true } }),
    read: places,
  },
  hover: {
    method: 'textDocument/hover',
    ability: 'hoverProvider',
    what: 'what something is',
    params: place,
    read: (answer) => ({ kind: 'text', text: readHover(answer) }),
  },
  document_symbols: {
    method: 'textDocument/documentSymbol',
    ability: 'documentSymbolProvider',
    what: 'the symbols of a file',
    params: document,
    read: symbols,
  },
  workspace_symbols: {
    method: 'workspace/symbol',
    ability: 'workspaceSymbolProvider',
    what: 'the symbols of the workspace',
    params: ({ query = '' }) => ({ query }),
    read: symbols,
  },
};
