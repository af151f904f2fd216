// What programs need of /etc: a copy with the public part of it alone, made when the service starts. A bind of each entry
// would cost every command a mount, and a bind of the whole would show what is put there later.
import { constants, type Stats } from 'node:fs';
import { access, copyFile, lstat, mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
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

/** Makes `into` anew. @throws Error of the system when it cannot be written */
export async function copySystemFiles(into: string): Promise<void> {
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true, mode: 0o755 });
  await Promise.all(ENTRIES.split(' ').map((name) => copyEntry(join('/etc', name), join(into, name))));
}

async function copyEntry(from: string, to: string): Promise<void> {
  const stats = await lstat(from).catch(() => null);
  if (stats === null) return;
  if (stats.isSymbolicLink()) await symlink(await readlink(from), to);
  else if (stats.isDirectory()) await copyDirectory(from, to, stats);
  else if (stats.isFile() && (stats.mode & READABLE_BY_ALL) !== 0 && stats.size <= MAX_FILE_BYTES) await copyReadable(from, to);
}

async function copyDirectory(from: string, to: string, { mode }: Stats): Promise<void> {
  if ((mode & READABLE_BY_ALL) === 0) return;
  await mkdir(to, { mode: 0o755 });
  const names = await readdir(from);
  await Promise.all(names.map((name) => copyEntry(join(from, name), join(to, name))));
}

async function copyReadable(from: string, to: string): Promise<void> {
  const readable = await access(from, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (readable) await copyFile(from, to, constants.COPYFILE_EXCL);
}
