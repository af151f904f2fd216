// What is wrong with a file. Some servers are asked; others tell by themselves, in pieces, and never that they are done: then
// the file is opened anew, and what was told last counts once the server has been quiet for a while.
import { z } from 'zod';
import type { CodeDiagnostic } from '../contract/index.ts';
import type { Published } from './published.ts';
import { readDiagnostics } from './read-diagnostics.ts';
import type { LanguageServerLimits } from './ports.ts';
import { uriOf } from './uris.ts';

const Report = z.object({ items: z.array(z.unknown()) });

export interface Diagnosis {
  readonly path: string;
  readonly signal: AbortSignal;
  readonly limits: LanguageServerLimits;
  readonly published: Published;
  /** Whether the server offers to be asked. */
  readonly isAsked: boolean;
  readonly ask: (method: string, params: unknown) => Promise<unknown>;
  readonly reopen: () => Promise<void>;
}

/** @throws Error when the server does not answer, or tells nothing of the file */
export async function diagnose(diagnosis: Diagnosis): Promise<readonly CodeDiagnostic[]> {
  const { path, isAsked, ask } = diagnosis;
  if (!isAsked) return listen(diagnosis);
  const report = Report.safeParse(await ask('textDocument/diagnostic', { textDocument: { uri: uriOf(path) } })).data;
  if (report === undefined) throw new Error('It answered with something else than what is wrong with the file.');
  return readDiagnostics(report.items, path);
}

async function listen({ path, signal, limits, published, ask, reopen }: Diagnosis): Promise<readonly CodeDiagnostic[]> {
  await reopen();
  const deadline = performance.now() + limits.diagnosticsMs;
  const left = (): number => Math.max(deadline - performance.now(), 0);
  await published.more(path, { signal, ms: limits.diagnosticsMs });
  while (left() > 0) {
    const before = published.latest(path);
    // A server that answers is done with what it was at. The answer itself says nothing here.
    await ask('textDocument/definition', { textDocument: { uri: uriOf(path) }, position: { line: 0, character: 0 } }).catch(() => {});
    signal.throwIfAborted();
    if (published.latest(path) !== before) continue;
    if (!(await published.more(path, { signal, ms: Math.min(limits.quietMs, left()) }))) break;
  }
  const latest = published.latest(path);
  if (latest !== undefined) return latest;
  const seconds = limits.diagnosticsMs / 1_000;
  throw new Error(`It has said nothing about the file within ${seconds} seconds: it may still be reading the project, so ask again later.`);
}
