// Places in files, from what servers answer: whatever cannot be read is left out.
import { z } from 'zod';
import { MAX_CODE_RESULTS, type CodePlace } from '../contract/index.ts';
import { pathOf } from './uris.ts';

const Position = z.object({ line: z.int().min(0), character: z.int().min(0) });
export const Range = z.object({ start: Position, end: Position });
export type Range = z.output<typeof Range>;

const Location = z.object({ uri: z.string(), range: Range });
const LocationLink = z.object({ targetUri: z.string(), targetSelectionRange: Range });

/** @param answer one place, many, or none */
export function readPlaces(answer: unknown): CodePlace[] {
  return listed(answer).flatMap((each) => {
    const location = Location.safeParse(each).data;
    if (location !== undefined) return placeAt(location.uri, location.range);
    const link = LocationLink.safeParse(each).data;
    return link === undefined ? [] : placeAt(link.targetUri, link.targetSelectionRange);
  });
}

/** None when it is no file. */
export function placeAt(uri: string, range: Range): CodePlace[] {
  const path = pathOf(uri);
  return path === undefined ? [] : [{ path, ...startOf(range) }];
}

/** The protocol counts from 0. */
export function startOf({ start }: Range): Omit<CodePlace, 'path'> {
  return { line: start.line + 1, character: start.character + 1 };
}

/** What stands in a list, or alone, and no more of it than is told. */
export function listed(answer: unknown): unknown[] {
  if (answer === null || answer === undefined) return [];
  return Array.isArray(answer) ? answer.slice(0, MAX_CODE_RESULTS) : [answer];
}
