// ripgrep reads the ignore files of every directory it enters, whatever they are: a named pipe would make it wait for
// ever, a device would fill its memory. A search that takes long is looked into.
import { EXCLUDE_FILE, IGNORE_FILES, ignoreFilesAbove } from './ignore-files.ts';

/** Milliseconds after which a search is looked into. */
export const LOOK_AFTER_MS = 1_000;

/** Prints the first ignore file below or above the working directory that can be read without end; nothing where there is none. */
export function endlessIgnoreFile(directory: string): readonly string[] {
  const names = [...IGNORE_FILES.flatMap((name) => ['-name', name, '-o']), '-path', `*/${EXCLUDE_FILE}`];
  const kinds = ['-xtype', 'p', '-o', '-xtype', 'c', '-o', '-xtype', 'b'];
  return ['find', './', ...ignoreFilesAbove(directory), '-xdev', '(', ...names, ')', '(', ...kinds, ')', '-print', '-quit'];
}
