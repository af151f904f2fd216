// What programs need of /etc: a copy with the public part of it alone, made when the service starts. A bind of each entry
// would cost every command a mount, and a bind of the whole would show what is put there later.
import {
  accessSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';

/** Names in /etc. What is not listed is not there. */
const ENTRIES =
  'alternatives bash.bashrc ca-certificates ca-certificates.conf crypto-policies debian_version fonts gai.conf group host.conf hosts ' +
  'ImageMagick-6 ImageMagick-7 inputrc java-8-openjdk java-11-openjdk java-17-openjdk java-21-openjdk java-25-openjdk ld.so.cache ld.so.conf ' +
  'ld.so.conf.d locale.alias locale.conf localtime lsb-release magic magic.mime manpath.config maven mime.types networks nsswitch.conf os-release ' +
  'passwd perl pki profile profile.d protocols python3 python3.11 python3.12 python3.13 R redhat-release rpc services shells ssl terminfo timezone ' +
  'vim xattr.conf xdg xml';
const MAX_FILE_BYTES = 4 * 1024 ** 2;
/** Others may read it: what a system keeps for itself, such as private keys, is never so. */
const READABLE_BY_ALL = 0o004;

/** Makes `into` anew, at one go: each of these many small steps would take longer to wait for than to do. @throws Error of the system when it cannot be written */
export function copySystemFiles(into: string): void {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true, mode: 0o755 });
  for (const name of ENTRIES.split(' ')) copyEntry(join('/etc', name), join(into, name));
}

function copyEntry(from: string, to: string): void {
  const stats = statsOf(from);
  if (stats === null) return;
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else if (stats.isDirectory()) copyDirectory(from, to, stats);
  else if (stats.isFile() && (stats.mode & READABLE_BY_ALL) !== 0 && stats.size <= MAX_FILE_BYTES) copyReadable(from, to);
}

/** `null` also of what cannot even be looked at. */
function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function copyDirectory(from: string, to: string, { mode }: Stats): void {
  if ((mode & READABLE_BY_ALL) === 0) return;
  mkdirSync(to, { mode: 0o755 });
  for (const name of readdirSync(from)) copyEntry(join(from, name), join(to, name));
}

function copyReadable(from: string, to: string): void {
  try {
    accessSync(from, constants.R_OK);
  } catch {
    // More than its mode may keep it from us.
    return;
  }
  copyFileSync(from, to, constants.COPYFILE_EXCL);
}
