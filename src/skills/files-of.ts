import { entriesOf, type Below } from './held-folder.ts';

const MAX_FILES = 100;
/** Folders that are looked into, those nearest first. */
const MAX_FOLDERS = 50;

/** The files of a folder and of those in it but for one, relative to it and in code point order; hidden ones and links are left out. */
export async function filesOf(folder: Below, besides: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting: (readonly string[])[] = [[]];
  for (let looked = 0; looked < Math.min(waiting.length, MAX_FOLDERS) && found.length <= MAX_FILES; looked += 1) {
    const below = waiting[looked] ?? [];
    for (const entry of await entriesOf({ ...folder, names: [...folder.names, ...below] })) {
      // A name with a line end would pass for more names.
      if (/\p{Cc}/u.test(entry.name)) continue;
      if (entry.isDirectory()) waiting.push([...below, entry.name]);
      else if (entry.isFile()) found.push([...below, entry.name].join('/'));
    }
  }
  const others = found.filter((file) => file !== besides);
  return others.slice(0, MAX_FILES).toSorted();
}
