// The port to language servers: programs that understand the code of a workspace.

export const LANGUAGE_OPERATIONS = [
  'definition',
  'implementation',
  'references',
  'hover',
  'document_symbols',
  'workspace_symbols',
  'diagnostics',
] as const;
/** Places, symbols or diagnostics of one answer: further ones are left out. */
export const MAX_CODE_RESULTS = 500;
export type LanguageOperation = (typeof LANGUAGE_OPERATIONS)[number];

export interface LanguageQuestion {
  readonly operation: LanguageOperation;
  /** Absolute real path of the file that is asked about, which also chooses the server. */
  readonly path: string;
  /** Its text as it is now. */
  readonly text: string;
  /** Of what is asked about; both count from 1, in UTF-16 units. */
  readonly line?: number;
  readonly character?: number;
  /** Of `workspace_symbols`. */
  readonly query?: string;
  readonly signal: AbortSignal;
}

/** A place in a file. Lines and characters count from 1. */
export interface CodePlace {
  /** Absolute path. */
  readonly path: string;
  readonly line: number;
  readonly character: number;
}

export interface CodeSymbol extends CodePlace {
  readonly name: string;
  /** `function`, `class`, … */
  readonly kind: string;
  /** Name of what it stands in. */
  readonly container?: string;
  readonly depth: number;
}

export interface CodeDiagnostic extends CodePlace {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  readonly source?: string;
}

export type LanguageAnswer =
  | { readonly kind: 'places'; readonly places: readonly CodePlace[] }
  | { readonly kind: 'symbols'; readonly symbols: readonly CodeSymbol[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'diagnostics'; readonly diagnostics: readonly CodeDiagnostic[] };

/** The language servers of one session, each started when a file of its kind is first asked about. */
export interface LanguageServers {
  /** @throws Error fit for a model when no server is there for the file, or it cannot be started, or does not answer */
  ask(question: LanguageQuestion): Promise<LanguageAnswer>;
}
