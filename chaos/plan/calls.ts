// The calls that are made, of each effect. Each prints the tag of its session, and leaves its own id where it has taken effect.
import type { Random } from './random.ts';

export type CallKind =
  | 'once'
  | 'once-long'
  | 'once-fails'
  | 'once-very-long'
  | 'asks'
  | 'read'
  | 'glob'
  | 'grep'
  | 'bash-reads'
  | 'write'
  | 'edit';

export interface PlannedCall {
  /** Of the tool_use, and of nothing else in the run. */
  readonly id: string;
  readonly kind: CallKind;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Milliseconds that it takes by itself. */
  readonly workMs: number;
  /** What people answer to its question. */
  readonly answer?: 'allow' | 'deny';
}

/** Files of each workspace. */
export const FILES = { effects: 'effects', seed: 'seed.txt', edited: 'edited.txt' };
/** The line before which every edit puts its own. */
export const EDIT_END = 'the end';
/** Calls of this form are asked for, in every mode. */
export const ASK_RULE = 'Bash(printf:*)';

/** What lies in each workspace from its beginning. */
export function seedFiles(tag: string): Readonly<Record<string, string>> {
  return { [FILES.seed]: `${tag} needle\n`, [FILES.edited]: `${tag}\n${EDIT_END}\n` };
}

export function writtenFile(id: string): string {
  return `written/${id}.txt`;
}

export function writtenText(tag: string, id: string): string {
  return `${tag} ${id}\n`.repeat(20);
}

export interface CallDraft {
  readonly kind: CallKind;
  readonly random: Random;
  readonly tag: string;
  /** Beginning of the ids of its message. */
  readonly name: string;
  /** Calls of the message before it. */
  readonly from: number;
}

/** @returns the call, after those that it needs */
export function planCall({ kind, random, tag, name, from }: CallDraft): PlannedCall[] {
  const id = `${name}${from}`;
  const bash = (command: string, workMs = 0): PlannedCall => ({ id, kind, name: 'Bash', input: { command, timeout: 60_000 }, workMs });
  const effect = `echo ${id} >> ${FILES.effects}`;
  const saying = `echo ${tag} ${id}`;
  switch (kind) {
    case 'once':
      return [bash(`${effect} && ${saying}`)];
    case 'once-long':
    case 'once-very-long': {
      const ms = kind === 'once-long' ? random.whole(200, 2_000) : 10_000;
      return [bash(`${effect} && sleep ${ms / 1_000} && ${saying}`, ms)];
    }
    case 'once-fails':
      return [bash(`${effect} && ${saying} && exit 3`)];
    case 'asks':
      return [{ ...bash(`printf '${id}\\n' >> ${FILES.effects} && ${saying}`), answer: random.next() < 0.7 ? 'allow' : 'deny' }];
    case 'bash-reads': {
      const ms = random.whole(100, 900);
      return [bash(`${saying} && sleep ${ms / 1_000} && cat ${FILES.seed}`, ms)];
    }
    case 'read':
      return [{ id, kind, name: 'Read', input: { file_path: FILES.seed }, workMs: 0 }];
    case 'glob':
      return [{ id, kind, name: 'Glob', input: { pattern: '*.txt' }, workMs: 0 }];
    case 'grep':
      return [{ id, kind, name: 'Grep', input: { pattern: 'needle', path: FILES.seed, output_mode: 'content' }, workMs: 0 }];
    case 'write':
      return [{ id, kind, name: 'Write', input: { file_path: writtenFile(id), content: writtenText(tag, id) }, workMs: 0 }];
    case 'edit':
      return editCalls(name, from);
  }
}

/** A file is edited by whoever has read it. */
function editCalls(name: string, from: number): PlannedCall[] {
  const id = `${name}${from + 1}`;
  const input = { file_path: FILES.edited, old_string: EDIT_END, new_string: `${id}\n${EDIT_END}` };
  return [
    { id: `${name}${from}`, kind: 'read', name: 'Read', input: { file_path: FILES.edited }, workMs: 0 },
    { id, kind: 'edit', name: 'Edit', input, workMs: 0 },
  ];
}
