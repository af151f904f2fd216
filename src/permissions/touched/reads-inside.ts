// Whether a call only reads, and only what lies in the session's directories.
import { lstat } from 'node:fs/promises';
import { isInside, type Place, type Scope } from '../paths/place.ts';
import type { Touched, TouchedItem } from './touched.ts';
import type { TouchedCommand, TouchedPart } from './touched-command.ts';

export interface Bounds {
  readonly scope: Scope;
  /** A sandbox keeps commands inside, whatever they name. */
  readonly sandboxed: boolean;
}

/** True when nothing has to be allowed for the call. */
export async function onlyReadsInside({ readOnly, items }: Touched, bounds: Bounds): Promise<boolean> {
  if (items.every((item) => item.kind === 'other' && item.own === true)) return true;
  if (!readOnly) return false;
  for (const item of items) if (!(await readsInside(item, bounds))) return false;
  return true;
}

async function readsInside(item: TouchedItem, bounds: Bounds): Promise<boolean> {
  if (item.kind === 'file') return item.access === 'read' && isInside(item.place, 'read', bounds.scope);
  if (item.kind === 'other') return item.own === true;
  return item.kind === 'command' && item.reading.understood && everyPart(item, bounds);
}

async function everyPart(line: TouchedCommand, bounds: Bounds): Promise<boolean> {
  for (const part of line.parts) if (!(await partReadsInside(part, line, bounds))) return false;
  return true;
}

async function partReadsInside(part: TouchedPart, line: TouchedCommand, bounds: Bounds): Promise<boolean> {
  if (part.unknown.redirect) return false;
  const redirected = part.files.filter((file) => file.redirect);
  if (!redirected.every(({ access, place }) => access === 'read' && isInside(place, 'read', bounds.scope))) return false;
  return programReadsInside(part, line, bounds);
}

/** Whether the program of this part, its redirections aside, only reads what lies inside. */
export async function programReadsInside(
  part: TouchedPart,
  { moves }: Pick<TouchedCommand, 'moves'>,
  { scope, sandboxed }: Bounds,
): Promise<boolean> {
  if (!part.part.readOnly || part.part.opaque) return false;
  if (sandboxed) return true;
  if (moves === 'unknown' || part.unknown.read || part.unclear) return false;
  const moving = part.part.words[0]?.value === 'cd';
  for (const { place, redirect } of part.files) {
    // Much that looks like a path is a pattern, and then nothing is there.
    if (!redirect && !isInside(place, 'read', scope) && (moving || (await exists(place)))) return false;
  }
  return true;
}

async function exists({ shown, real }: Place): Promise<boolean> {
  if (real === null) return true;
  try {
    await lstat(shown);
    return true;
  } catch (error) {
    // What cannot be looked at counts as there.
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
  }
}
