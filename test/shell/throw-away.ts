// A directory full of temptations in which lines are really run: inside bubblewrap, with everything else read-only and no
// network, so that whatever they do can be seen and does no harm.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { READ_ONLY_GIT_ENVIRONMENT } from '../../src/shell/git-environment.ts';

const run = promisify(execFile);

/** Names that become options when a glob is expanded. */
const TRAPS = ['-delete', '-i', '-o', '--output=out', '-rf', '--pre=evil', '-exec', '-n', '-x'];
const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'one two\nthree -delete\n./evil\n',
  'b.txt': 'one\nfour\n',
  'notes.txt': 'start\n1 2 3\nend\n',
  'data.csv': 'a,b\n1,2\n',
  'data.json': '{"a": {"b": [1]}, "items": [{"id": 1}]}\n',
  'package.json': '{"name": "x", "scripts": {"test": "./evil"}}\n',
  'README.md': '# title\n',
  'app.log': 'ERROR x\n',
  'lib.sh': 'touch sourced\n',
  'evil.sed': 'w written-by-sed\n',
  'evil.awk': 'BEGIN { print > "written-by-awk" }\n',
  '.ripgreprc': '--pre=./evil\n',
  'src/index.ts': 'export const main = 1;\n',
  'dir/x': 'x\n',
};
/** Archives in base64: one with the members `-l` and `in-zip.txt`, and a text. */
const ARCHIVES: Readonly<Record<string, string>> = {
  'x.zip':
    'UEsDBBQAAAAAAAAAIVCsADrHBwAAAAcAAAACAAAALWx6aXBwZWQKUEsDBBQAAAAAAAAAIVCsADrHBwAAAAcAAAAKAAAAaW4temlwLnR4dHppcHBlZApQSwECFAMUAAAAAAAAACFQrAA6xwcAAAAHAAAAAgAAAAAAAAAAAAAApAEAAAAALWxQSwECFAMUAAAAAAAAACFQrAA6xwcAAAAHAAAACgAAAAAAAAAAAAAApAEnAAAAaW4temlwLnR4dFBLBQYAAAAAAgACAGgAAABWAAAAAAA=',
  'x.zst': 'KLUv/SQKUQAAenN0YW5kYXJkChH08HU=',
};
const EVIL = '#!/bin/bash\ntouch "${0%/*}/ran" 2>/dev/null || touch ran\n';

const DRIVER = `
while IFS= read -r -d '' line; do
  timeout -s KILL 0.5 bash --norc --noprofile -c -- "$line" </dev/null >/dev/null 2>&1
done
true`;

async function throwAway(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-lines-'));
  for (const folder of ['src', 'dir', 'lib']) await mkdir(join(directory, folder));
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(directory, name), content);
  for (const [name, content] of Object.entries(ARCHIVES)) await writeFile(join(directory, name), content, 'base64');
  for (const name of TRAPS) await writeFile(join(directory, name), 'x\n');
  for (const name of ['evil', 'script.sh', 'rm', 'ls']) {
    await writeFile(join(directory, name), EVIL);
    await chmod(join(directory, name), 0o755);
  }
  await symlink('a.txt', join(directory, 'link'));
  const git = (...args: string[]) => run('git', args, { cwd: directory, env: { PATH: process.env['PATH'] ?? '', HOME: directory } });
  await git('init', '-q', '-b', 'main');
  await git('add', 'a.txt', 'src');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first');
  await git('tag', 'v1.0');
  await writeFile(join(directory, 'a.txt'), 'stashed\n');
  await git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'stash', '-q');
  await writeFile(join(directory, '.git', 'hooks', 'post-index-change'), EVIL, { mode: 0o755 });
  await git('config', 'core.fsmonitor', '../evil');
  await git('config', 'core.pager', '../evil');
  await run('tar', ['czf', 'archive.tar.gz', 'src'], { cwd: directory });
  await run('tar', ['cf', 'archive.tar', 'src'], { cwd: directory });
  await run('bash', ['-c', 'gzip -c a.txt > f.gz; bzip2 -c a.txt > f.bz2; xz -c a.txt > f.xz'], { cwd: directory });
  return directory;
}

/** Names, kinds, modes and bytes of all that is in a directory. */
async function snapshotOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const described = await Promise.all(
    entries.map(async (entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return [path, `link to ${await readlink(path)}`];
      const { mode } = await stat(path);
      return [path, `${mode.toString(8)} ${entry.isFile() ? (await readFile(path)).toString('latin1') : ''}`];
    }),
  );
  return new Map(described.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Runs lines one after another, each for half a second at most, in a directory that they may write to. @throws Error when bubblewrap fails */
async function runLines(directory: string, lines: readonly string[]): Promise<void> {
  const sandbox = `--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --dir /tmp/home --bind ${directory} ${directory} --chdir ${directory}`;
  const args = [
    ...sandbox.split(' '),
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--',
    'bash',
    '--norc',
    '--noprofile',
    '-c',
    DRIVER,
  ];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp/home', LANG: 'C.UTF-8', TERM: 'dumb', ...READ_ONLY_GIT_ENVIRONMENT };
  const running = run('bwrap', args, { env, maxBuffer: 1024 * 1024 });
  running.child.stdin?.end(lines.map((line) => `${line}\0`).join(''));
  await running;
}

/** What running these lines changed in a fresh directory: the paths. */
async function changesBy(lines: readonly string[]): Promise<string[]> {
  const directory = await throwAway();
  try {
    const before = await snapshotOf(directory);
    await runLines(directory, lines);
    const after = await snapshotOf(directory);
    const paths = new Set([...before.keys(), ...after.keys()]);
    return [...paths].filter((path) => before.get(path) !== after.get(path));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Those of the lines that change the directory they run in. Cheap as long as there is none. */
export async function linesThatWrite(lines: readonly string[]): Promise<readonly string[]> {
  if (lines.length === 0 || (await changesBy(lines)).length === 0) return [];
  if (lines.length === 1) return lines;
  const half = lines.length >> 1;
  return [...(await linesThatWrite(lines.slice(0, half))), ...(await linesThatWrite(lines.slice(half)))];
}
