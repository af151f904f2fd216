// The port through which a tool finds other tools of its session, above all those whose schemas the model has not seen.
import type { JsonSchema } from './json-schema.ts';

export interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** True when the model's first prompt does not hold the schema. */
  readonly deferred: boolean;
}

export interface ToolSearch {
  /** Best first. */
  readonly matches: readonly FoundTool[];
  /** Deferred tools there are in all. */
  readonly deferredCount: number;
  /** For the model: servers that are not there (yet), and why. */
  readonly notes: readonly string[];
}

export interface ToolIndex {
  /**
   * `select:A,B` gives exactly these; else keywords, ranked, of which `+word` must occur. Waits for the session's servers to connect.
   * @param maxResults at most this many for keywords
   */
  search(query: string, maxResults: number, signal: AbortSignal): Promise<ToolSearch>;
}
