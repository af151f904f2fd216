// Runs one search: a shell enters the directory and sets up a pipe of programs. Paths and patterns travel as quoted
// words, so none of them can become an option or a command.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext, ProgramResult, ToolResult } from '../contract/index.ts';
import { enterLines, type HeldDirectory, NOT_ENTERED, replaced } from './held-directory.ts';
import { SEARCH_ENV } from './ripgrep.ts';
import { endlessIgnoreFile, LOOK_AFTER_MS } from './stuck-walk.ts';

/** A program and its arguments. */
export type Stage = readonly string[];

export interface SearchRequest {
  /** What the search starts in. */
  readonly directory: HeldDirectory;
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

/** Memory of each program of a search, in KiB: more than any pattern takes, and less than a machine has. */
const MEMORY_KIB = 2 * 1024 * 1024;

export type SearchContext = Pick<CallContext, 'commands' | 'signal' | 'sessionId'>;

/**
 * A search that failed, ran out of time or was aborted gives the result that says so.
 * @throws FileError `changed` when the directory was replaced by another
 */
export async function runSearch(request: SearchRequest, context: SearchContext): Promise<SearchRun> {
  const running = new AbortController();
  const signal = AbortSignal.any([context.signal, running.signal]);
  const looking = lookInto({ directory: request.directory, running }, { ...context, signal });
  const run = await runStages(request, { ...context, signal }).finally(() => running.abort());
  const outOfMemory = OUT_OF_MEMORY.test(run.stderr);
  const endless = (await looking) ?? (outOfMemory ? await findEndless(request.directory, context) : null);
  if (run.exitCode === NOT_ENTERED) throw replaced(request.directory.path);
  if (run.stopped !== null || (outOfMemory && endless !== null)) return stopped(run, endless);
  // Unreadable files are passed over in silence, so that text on standard error means a pattern that cannot be used.
  const complaint = run.stderr.replaceAll(PASSED_OVER, '');
  if (run.stdout === '' && complaint !== '') return failed(cleanMessage(complaint), complaint);
  return { ok: true, stdout: run.stdout, truncated: run.truncated };
}

/** What ripgrep says where a device has filled its memory before anybody looked. */
const OUT_OF_MEMORY = /memory allocation of \d+ bytes failed/;
/** What find says of files that have gone meanwhile. */
const PASSED_OVER = /^find: '.*\n?/gm;

function stopped({ stopped: why, stderr }: ProgramResult, endless: string | null): SearchRun {
  if (why === 'timeout') {
    const text = `The search was stopped after ${SEARCH_TIMEOUT_MS / 1_000} seconds. Search a smaller path, or use a more specific pattern.`;
    return failed(text, stderr, { timedOut: true });
  }
  return failed(endless === null ? 'The search was stopped before it was done.' : endlessText(endless), stderr);
}

function runStages({ directory, stages, maxOutputBytes }: SearchRequest, context: SearchContext): Promise<ProgramResult> {
  const limit = `ulimit -v ${MEMORY_KIB} 2>/dev/null\n`;
  const start = stages.length === 1 ? 'exec ' : '';
  return context.commands.exec({
    file: 'sh',
    args: ['-c', enterLines(directory, quote) + limit + start + pipe(stages)],
    // The shell enters the directory by itself: started in it by its path, it could be led elsewhere.
    cwd: '/',
    env: SEARCH_ENV,
    timeoutMs: SEARCH_TIMEOUT_MS,
    maxOutputBytes,
    signal: context.signal,
  });
}

/**
 * Looks into a search that takes long, and ends it when it waits for what never comes. Never throws.
 * @returns the file it waits for, if there is one
 */
async function lookInto(
  { directory, running }: { directory: HeldDirectory; running: AbortController },
  context: SearchContext,
): Promise<string | null> {
  try {
    await sleep(LOOK_AFTER_MS, undefined, { signal: context.signal });
  } catch {
    // The search has ended meanwhile.
    return null;
  }
  const found = await findEndless(directory, context);
  if (found !== null) running.abort();
  return found;
}

/** Never throws. */
async function findEndless(directory: HeldDirectory, context: SearchContext): Promise<string | null> {
  try {
    const stages = [endlessIgnoreFile(directory.path)] as const;
    const { stdout } = await runStages({ directory, stages, maxOutputBytes: MAX_MESSAGE }, context);
    return stdout.trim() || null;
  } catch {
    // The search has ended meanwhile; or it cannot be looked into, and ends when its time is over.
    return null;
  }
}

function endlessText(path: string): string {
  const shown = JSON.stringify(path.replace(/^\.\//, ''));
  return `The search would never end: ${shown} is a named pipe or a device, and is read as a list of files to ignore. Remove it, or search another path.`;
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
  const text = stderr.replaceAll(/^(?:rg|xargs|sh): /gm, '').replaceAll(/(?:\/[^\s/:]+)+\/rg\b/g, 'rg');
  return text.trim().slice(0, MAX_MESSAGE);
}
