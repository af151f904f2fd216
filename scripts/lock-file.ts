// What a release brings along, by package-lock.json: packages that are installed with it on any platform, and those whose
// code is inside the built console.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Absolute path of the project, with a slash at the end. */
export const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** Development packages that are built into `web/dist`, and so given away with it. */
export const IN_CONSOLE: readonly string[] = ['@preact/signals', '@preact/signals-core', 'preact'];

/** The part of package.json that the lock file repeats. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface LockedPackage extends Manifest {
  readonly name?: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license?: string;
  readonly dev?: boolean;
  /** True for what is installed only where it runs. */
  readonly optional?: boolean;
}

export interface ShippedPackage extends LockedPackage {
  readonly name: string;
  /** Below the project, such as `node_modules/zod`. */
  readonly folder: string;
}

/** package.json and package-lock.json of a project that needs nothing to be developed. */
export function productionManifests(): { manifest: Manifest; lock: { packages: Readonly<Record<string, LockedPackage>> } } {
  const lock = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
  const { '': root, ...packages } = lock.packages;
  if (root === undefined) throw new Error('package-lock.json does not name the project itself: run npm install --package-lock-only.');
  const kept = Object.entries(packages).filter(([folder, { dev }]) => dev !== true || IN_CONSOLE.includes(nameOf(folder)));
  return {
    manifest: withoutDevelopment(readJson('package.json') as Manifest),
    lock: { ...lock, packages: { '': withoutDevelopment(root), ...Object.fromEntries(kept) } },
  };
}

export function shippedPackages(): ShippedPackage[] {
  return Object.entries(productionManifests().lock.packages)
    .filter(([folder]) => folder !== '')
    .map(([folder, locked]) => ({ ...locked, folder, name: locked.name ?? nameOf(folder) }));
}

function withoutDevelopment<M extends Manifest>({ dependencies, devDependencies = {}, ...rest }: M): Omit<M, keyof Manifest> & Manifest {
  const inConsole = Object.entries(devDependencies).filter(([name]) => IN_CONSOLE.includes(name));
  return { ...rest, dependencies: { ...dependencies, ...Object.fromEntries(inConsole) } };
}

function nameOf(folder: string): string {
  return folder.split('node_modules/').at(-1) ?? folder;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(`${PROJECT}${file}`, 'utf8'));
}
