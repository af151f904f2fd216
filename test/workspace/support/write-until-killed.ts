// Run by a test that kills it: writes turn after turn, and prints a line after each write.
import { join } from 'node:path';
import { createFileHistory } from '../../../src/workspace/history/file-history.ts';
import { createSessionFiles } from '../../../src/workspace/session-files.ts';
import { overwrite } from './history-world.ts';

const [workspace = '', directory = '', run = ''] = process.argv.slice(2);
const history = createFileHistory({ directory, workspace, writableRoots: [workspace], readableRoots: [workspace] });
const session = createSessionFiles({ workspace, readableRoots: [] });

for (let turn = 0; ; turn += 1) {
  const files = history.filesFor(`${run}-${turn}`, session);
  for (const name of ['file', 'other', `made-${run}/${turn}`]) {
    await overwrite(files, { path: join(workspace, name), content: `${run} ${turn} ${'x'.repeat(50_000)}` });
    process.stdout.write('written\n');
  }
}
