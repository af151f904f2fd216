// Runs one search: a single program directly, several as a pipe that bash sets up. Paths and patterns travel as
// quoted words, so none of them can become an option or a command.
import type { CallContext, ToolResult } from '../contract/index.ts';
import { SEARCH_ENV } from './ripgrep.ts';

/** A program and its arguments. */
export type Stage = readonly string[];

export interface SearchRequest {
  /** Absolute real path that the search starts in. */
  readonly directory: string;
  readonly stages: readonly [Stage, ...Stage[]];
  /** Bytes of output that are kept; what would write more is stopped. */
  readonly maxOutputBytes: number;
}

export type SearchRun =
  | { readonly ok: true; readonly stdout: string; readonly truncated: boolean }
  | { readonly ok: false; readonly result: ToolResult<never>; readonly stderr: string };

/** Milliseconds after which a search is stopped. */
export const SEARCH_TIMEOUT_MS = 30_000;
/** Characters of a message of ripgrep's that the model gets. */
const MAX_MESSAGE = 2_000;

/** A search that failed, ran out of time or was aborted gives the result that says so. */
export async function runSearch(
  request: SearchRequest,
  context: Pick<CallContext, 'commands' | 'signal' | 'sessionId'>,
): Promise<SearchRun> {
  const { directory, stages, maxOutputBytes } = request;
  const [file, ...args] = stages.length === 1 ? stages[0] : ['bash', '--norc', '--noprofile', '-c', pipe(stages)];
  const run = await context.commands.exec({
    file: file ?? '',
    args,
    cwd: directory,
    env: SEARCH_ENV,
    timeoutMs: SEARCH_TIMEOUT_MS,
    maxOutputBytes,
    signal: context.signal,
    owner: context.sessionId,
  });
  if (run.stopped === 'timeout') {
    const text = `The search was stopped after ${SEARCH_TIMEOUT_MS / 1_000} seconds. Search a smaller path, or use a more specific pattern.`;
    return failed(text, run.stderr, { timedOut: true });
  }
  if (run.stopped === 'aborted') return failed('The search was stopped before it was done.', run.stderr);
  // Unreadable files are passed over in silence, so that text on standard error means a pattern that cannot be used.
  if (run.stdout === '' && run.stderr !== '') return failed(cleanMessage(run.stderr), run.stderr);
  return { ok: true, stdout: run.stdout, truncated: run.truncated };
}

function failed(text: string, stderr: string, extra: { timedOut?: boolean } = {}): SearchRun {
  return { ok: false, result: { content: text, isError: true, ...extra }, stderr };
}

function pipe(stages: readonly Stage[]): string {
  return stages.map((stage) => stage.map(quote).join(' ')).join(' | ');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Without the program's name, and with no path of the host's in it. */
function cleanMessage(stderr: string): string {
  const text = stderr.replaceAll(/^(?:rg|xargs|bash): /gm, '').replaceAll(/(?:\/[^\s/:]+)+\/rg\b/g, 'rg');
  return text.trim().slice(0, MAX_MESSAGE);
}
