// What the mode `acceptEdits` lets a session do to its own files without being asked.
import type { CommandReader, CommandWord } from '../contract/index.ts';
import { isInside } from './place.ts';
import { programReadsInside, type Bounds } from './reads-inside.ts';
import type { Touched, TouchedItem } from './touched.ts';
import type { TouchedCommand, TouchedPart } from './touched-command.ts';

const EDITORS = new Set(['mkdir', 'touch', 'mv', 'cp', 'rm', 'rmdir', 'sed']);

/** Whether the call only reads and changes files in the session's directories. */
export async function editsInside({ items }: Touched, bounds: Bounds, commands: CommandReader): Promise<boolean> {
  for (const item of items) if (!(await itemInside(item, bounds, commands))) return false;
  return true;
}

async function itemInside(item: TouchedItem, bounds: Bounds, commands: CommandReader): Promise<boolean> {
  if (item.kind === 'file') return isInside(item.place, item.access, bounds.scope);
  if (item.kind !== 'command' || !item.reading.understood || item.parts.length === 0) return false;
  for (const part of item.parts) if (!(await partInside(part, item, { ...bounds, commands }))) return false;
  return true;
}

async function partInside(part: TouchedPart, line: TouchedCommand, sight: Bounds & { commands: CommandReader }): Promise<boolean> {
  const redirected = part.files.filter(({ redirect }) => redirect);
  if (part.unknown.write || !redirected.every(({ access, place }) => isInside(place, access, sight.scope))) return false;
  return (await programReadsInside(part, line, sight)) || isEditor(part, line, sight);
}

function isEditor(
  { part, files, unknown, unclear }: TouchedPart,
  line: TouchedCommand,
  { scope, commands }: Bounds & { commands: CommandReader },
): boolean {
  const name = part.words[0]?.value ?? '';
  if (!EDITORS.has(name) || part.assignments.length > 0 || line.moves === 'unknown' || unclear || unknown.read) return false;
  if (name === 'sed' && !isPlainSed(part.words, commands)) return false;
  return files.every(({ place, redirect }) => redirect || isInside(place, 'write', scope));
}

/** True when all that the script does is change the text: without its option to edit in place, it only reads. */
function isPlainSed(words: readonly CommandWord[], commands: CommandReader): boolean {
  const rest = words.filter(({ value }) => value === null || !/^(-i[^/]{0,20}|--in-place)$/.test(value));
  const reading = commands.read(rest.map(({ written }) => written).join(' '));
  return reading.understood && reading.parts.every(({ readOnly }) => readOnly);
}
