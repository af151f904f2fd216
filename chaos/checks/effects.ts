// What calls have left in the workspace, against what the log says of them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EDIT_END, FILES, writtenFile, writtenText, type PlannedCall } from '../plan/calls.ts';
import type { CallFacts } from './call-facts.ts';

export interface Traces {
  readonly tag: string;
  readonly calls: readonly PlannedCall[];
  readonly facts: ReadonlyMap<string, CallFacts>;
  /** Lines of the file to which commands append. */
  readonly effects: readonly string[];
  /** Lines of the file that edits change. */
  readonly edited: readonly string[];
  /** Texts of written files by path. */
  readonly written: ReadonlyMap<string, string>;
}

/** Reads what lies in a workspace. */
export async function readTraces(workspace: string): Promise<Pick<Traces, 'effects' | 'edited' | 'written'>> {
  const lines = async (name: string): Promise<string[]> => (await textOf(join(workspace, name))).split('\n').filter((line) => line !== '');
  const names = await readdir(join(workspace, 'written')).catch(() => []);
  const written = await Promise.all(
    names.map(async (name) => [`written/${name}`, await textOf(join(workspace, 'written', name))] as const),
  );
  return { effects: await lines(FILES.effects), edited: await lines(FILES.edited), written: new Map(written) };
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/** @returns what is wrong, a sentence each */
export function faultsOfTraces({ tag, calls, facts, effects, edited, written }: Traces): string[] {
  const known = new Set(calls.map(({ id }) => id));
  const strangers = [...effects, ...edited.slice(1, -1)].filter((line) => !known.has(line));
  const faults = strangers
    .slice(0, 5)
    .map((line) => `the workspace holds the line ${JSON.stringify(line)}, which none of its calls has written`);
  if (edited[0] !== tag || edited.at(-1) !== EDIT_END) faults.push('the edited file has lost its first or last line');
  const inFile = edited.filter((line) => known.has(line));
  const inOrder = calls.map(({ id }) => id).filter((id) => inFile.includes(id));
  if (new Set(inFile).size === inFile.length && inFile.join() !== inOrder.join())
    faults.push('edits stand in another order than they were made');
  for (const call of calls) {
    const fact = facts.get(call.id);
    if (call.name === 'Bash') faults.push(...faultsOfCommand(call, fact, count(effects, call.id)));
    else if (call.name === 'Edit') faults.push(...faultsOfEdit(call, fact, count(edited, call.id)));
    else if (call.name === 'Write')
      faults.push(...faultsOfWrite(call, fact, { text: written.get(writtenFile(call.id)), wanted: writtenText(tag, call.id) }));
  }
  return faults;
}

function count(lines: readonly string[], wanted: string): number {
  return lines.filter((line) => line === wanted).length;
}

function told({ id, kind }: PlannedCall, fact: CallFacts | undefined): string {
  return `${kind} ${id} (${fact === undefined ? 'not in the log' : `${fact.outcome ?? 'no outcome'}, begun ${fact.starts} times`})`;
}

function faultsOfCommand(call: PlannedCall, fact: CallFacts | undefined, times: number): string[] {
  if (call.kind === 'bash-reads') return [];
  const faults: string[] = [];
  if (times > 1) faults.push(`${told(call, fact)} has taken effect ${times} times`);
  if (times > 0 && (fact === undefined || fact.starts === 0)) faults.push(`${told(call, fact)} has taken effect without being begun`);
  if (fact?.outcome === 'ok' && times !== 1) faults.push(`${told(call, fact)} has taken effect ${times} times`);
  if (fact !== undefined && fact.starts > 1) faults.push(`${told(call, fact)} was begun more than once`);
  return faults;
}

function faultsOfEdit(call: PlannedCall, fact: CallFacts | undefined, times: number): string[] {
  const expected = fact?.outcome === 'ok' ? [1] : fact === undefined || fact.starts === 0 || fact.outcome === 'tool_error' ? [0] : [0, 1];
  return expected.includes(times) ? [] : [`${told(call, fact)} stands ${times} times in the file`];
}

function faultsOfWrite(
  call: PlannedCall,
  fact: CallFacts | undefined,
  { text, wanted }: { text: string | undefined; wanted: string },
): string[] {
  if (text === undefined) return fact?.outcome === 'ok' ? [`${told(call, fact)} has left no file`] : [];
  if (fact === undefined || fact.starts === 0) return [`${told(call, fact)} has left a file without being begun`];
  return text === wanted ? [] : [`${told(call, fact)} has left ${text.length} characters in place of ${wanted.length}`];
}
