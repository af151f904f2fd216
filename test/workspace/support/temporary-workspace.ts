// A workspace with a neighbour that nobody may touch, both removed after the test.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FileErrorCode, SessionFiles } from '../../../src/contract/index.ts';
import { createSessionFiles } from '../../../src/workspace/session-files.ts';
import { refusalOf } from './refusal.ts';

export const CANARY = 'canary: nobody may read this';
const CANARIES = ['below/canary.txt', 'canary.txt'];

export interface TemporaryWorkspace {
  /** Absolute real paths. */
  readonly workspace: string;
  /** A directory that may be read only. */
  readonly outputs: string;
  /** A directory whose name begins like the workspace's; it holds `canary.txt` and `below/canary.txt`. */
  readonly outside: string;
  readonly files: SessionFiles;
  /** A second session on the same directories. */
  readonly another: () => SessionFiles;
  /** Fails unless the outside is just as it was. */
  readonly assertOutsideUntouched: () => Promise<void>;
}

export async function temporaryWorkspace(t: TestContext): Promise<TemporaryWorkspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-files-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [workspace, outputs, outside] = [join(root, 'w'), join(root, 'outputs'), join(root, 'w2')];
  for (const directory of [workspace, outputs, outside]) await mkdir(directory);
  await mkdir(join(outside, 'below'));
  for (const name of CANARIES) await writeFile(join(outside, name), CANARY);
  const another = (): SessionFiles => createSessionFiles({ workspace, readableRoots: [outputs] });
  return {
    workspace,
    outputs,
    outside,
    files: another(),
    another,
    async assertOutsideUntouched() {
      assert.deepEqual((await readdir(outside, { recursive: true })).toSorted(), ['below', ...CANARIES]);
      for (const name of CANARIES) assert.equal(await readFile(join(outside, name), 'utf8'), CANARY);
    },
  };
}

export function readText(files: SessionFiles, path: string): Promise<string> {
  return files.withFile(path, ({ handle }) => handle.readFile('utf8'));
}

/** Fails unless the promise rejects with a FileError of one of these codes. */
export async function assertRefused(promise: Promise<unknown>, ...codes: FileErrorCode[]): Promise<void> {
  const { code, message } = await refusalOf(promise);
  assert.ok(codes.includes(code), `expected ${codes.join(' or ')}, got ${code}: ${message}`);
}
