// Writes dist/THIRD_PARTY_NOTICES.txt: the packages that a release brings along, and the texts of their licences. Fails
// when one of them has no licence, or one that was not agreed on.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, shippedPackages, type ShippedPackage } from './lock-file.ts';

const PERMITTED = new Set('MIT ISC BSD-2-Clause BSD-3-Clause Apache-2.0 0BSD BlueOak-1.0.0 Unlicense CC0-1.0 Python-2.0'.split(' '));
/** The image library of sharp, a shared library: see LGPL below. */
const SHARED_LIBRARY = { licence: 'LGPL-3.0-or-later', packages: /^@img\/sharp-/ };
const TEXT_FILE = /^(un)?licen[cs]e|^copying|^notice/i;
const README = /^readme(\.md)?$/i;
const RULE = '-'.repeat(80);

const LGPL = `The packages @img/sharp-libvips-* hold libvips and the libraries that it needs, as a shared library (lib/libvips-cpp.*),
under the LGPL, version 3 or later. The package sharp loads it when an image is read; toolexec neither changes it nor
has code of it inside its own. You may replace it with a build of your own: put that in place of the file, or build sharp
against a libvips that is installed. Sources: https://github.com/lovell/sharp-libvips and https://github.com/libvips/libvips.
The licence: https://www.gnu.org/licenses/lgpl-3.0.html. Packages of sharp for Windows and WebAssembly have it inside.`;

/** What keeps a release from being made, a sentence for each package. */
export function licenceFaults(packages: readonly Pick<ShippedPackage, 'name' | 'version' | 'license'>[]): string[] {
  return packages.flatMap(({ name, version, license }) => {
    if (license === undefined) return [`${name}@${version} has no licence in package-lock.json: ask its authors, or replace it.`];
    const agreed = (id: string): boolean => PERMITTED.has(id) || (id === SHARED_LIBRARY.licence && SHARED_LIBRARY.packages.test(name));
    // OR binds less than AND. Whatever else an expression has is not known, and so not permitted.
    if (license.split(' OR ').some((choice) => choice.split(' AND ').every(agreed))) return [];
    return [`${name}@${version} is under ${license}, which is not permitted: replace it, or add the licence to scripts/notices.ts.`];
  });
}

/**
 * @returns the whole file
 * @throws Error when a package is missing that is needed everywhere
 */
function noticesOf(packages: readonly ShippedPackage[]): string {
  const installed = packages.filter(({ folder }) => existsSync(join(PROJECT, folder)));
  const others = packages.filter((one) => !installed.includes(one));
  const missing = others.find(({ optional }) => optional !== true);
  if (missing !== undefined) throw new Error(`${nameOf(missing)} is not installed: run npm ci first.`);
  const byText = Map.groupBy(installed, textOf);
  const parts = [...byText].map(([text, those]) => `${RULE}\n${those.map(nameOf).join('\n')}\n${RULE}\n\n${text}`);
  return [
    'Packages that toolexec uses, with their licences. npm installs them beside it; preact and @preact/signals are built into\nthe console (web/dist).',
    `On libvips\n\n${LGPL}`,
    `Only on other platforms, or not at all\n\n${others.map(nameOf).join('\n')}`,
    ...parts,
    '',
  ].join('\n\n');
}

function nameOf({ name, version, license }: ShippedPackage): string {
  return `${name} ${version} (${license})`;
}

/** Of its licence and notice files, or else of what its README says of them. */
function textOf({ folder }: ShippedPackage): string {
  const files = readdirSync(join(PROJECT, folder), { withFileTypes: true }).filter((entry) => entry.isFile());
  const read = ({ name }: { name: string }): string =>
    readFileSync(join(PROJECT, folder, name), 'utf8')
      .replaceAll('\r\n', '\n')
      .trim();
  const texts = files.filter(({ name }) => TEXT_FILE.test(name)).map(read);
  if (texts.length > 0) return texts.join('\n\n');
  const section = files.filter(({ name }) => README.test(name)).map((file) => /^#+ *licen[cs].*$[^]*/im.exec(read(file))?.[0]);
  return section[0]?.trim() ?? 'The package brings no text of its licence.';
}

if (import.meta.main) {
  const packages = shippedPackages();
  const faults = licenceFaults(packages);
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(`${PROJECT}dist`, { recursive: true });
    writeFileSync(`${PROJECT}dist/THIRD_PARTY_NOTICES.txt`, noticesOf(packages));
  }
}
