import { existsSync, readFileSync } from 'node:fs';

/** Beside `src`, and beside `dist` where the code is built. */
const PLACES = ['../../package.json', '../../../package.json'];

/** The version of this release, such as `1.0.0`: only package.json says it. `unknown` where that has not come along with the code. */
export function releaseVersion(): string {
  const file = PLACES.map((place) => new URL(place, import.meta.url)).find((place) => existsSync(place));
  return file === undefined ? 'unknown' : (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
