// What the mode `acceptEdits` lets a session do to its own files without being asked.
import type { CommandReader } from '../contract/index.ts';
import { isInside } from './paths/place.ts';
import { programReadsInside, type Bounds } from './touched/reads-inside.ts';
import { isPlainSed } from './touched/script-code.ts';
import type { Touched, TouchedItem } from './touched/touched.ts';
import type { TouchedCommand, TouchedPart } from './touched/touched-command.ts';

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
  const redirected = part.files.filter((file) => file.redirect);
  if (part.unknown.redirect || !redirected.every(({ access, place }) => isInside(place, access, sight.scope))) return false;
  return (await programReadsInside(part, line, sight)) || isEditor(part, line, sight);
}

function isEditor(
  { part, files, unknown, unclear }: TouchedPart,
  line: TouchedCommand,
  { scope, commands }: Bounds & { commands: CommandReader },
): boolean {
  const name = part.words[0]?.value ?? '';
  if (!EDITORS.has(name) || part.assignments.length > 0 || line.moves === 'unknown' || unclear || unknown.read) return false;
  if (name === 'sed' && !isPlainSed(part.words.slice(1), commands)) return false;
  return files.every(({ place, redirect }) => redirect || isInside(place, 'write', scope));
}
