// Which mutants a run takes. The choice hangs on the mutant alone, so that it is the same in every run and on every machine.
import { createHash } from 'node:crypto';
import { relative } from 'node:path';

/** The first is 1, as editors count. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** What tells a mutant from all others. */
export interface MutantPlace {
  /** Absolute, or relative to where the process works. */
  readonly fileName: string;
  readonly location: { readonly start: Position; readonly end: Position };
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
}

/** One line of text, always the same for the same mutant: where it is in the project, its kind, and what it writes instead. */
export function keyOf({ fileName, location: { start, end }, mutatorName, replacement = '' }: MutantPlace, root: string): string {
  const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
  return `${relative(root, fileName)}:${place} ${mutatorName} ${replacement}`;
}

/** Which mutants a run takes. */
export interface Selection {
  /** The project. */
  readonly root: string;
  /** One of so many, */
  readonly every: number;
  /** the first of them, from 0 on, or another one. */
  readonly offset: number;
  /** Mutants by their keys: only these. */
  readonly only?: readonly string[];
}

export function isTaken(key: string, { every, offset, only }: Selection): boolean {
  if (only) return only.includes(key);
  return createHash('sha256').update(key).digest().readUInt32BE() % every === offset;
}
