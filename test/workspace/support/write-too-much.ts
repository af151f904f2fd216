// Run by a test under a limit on file sizes: tries to write more than fits and prints how that ended.
import { join } from 'node:path';
import { FileError } from '../../../src/contract/index.ts';
import { createSessionFiles } from '../../../src/workspace/session-files.ts';

const workspace = process.argv[2] ?? '';
const files = createSessionFiles({ workspace, readableRoots: [] });
const bytes = Buffer.alloc(1024 * 1024, 'x');

async function outcome(name: string, expectedHash: string | null): Promise<string> {
  try {
    await files.write({ path: join(workspace, name), bytes, expectedHash });
    return 'written';
  } catch (error) {
    return error instanceof FileError ? error.code : String(error);
  }
}

const present = await files.look(join(workspace, 'file'));
console.log(JSON.stringify({ created: await outcome('new', null), replaced: await outcome('file', present?.hash ?? '') }));
