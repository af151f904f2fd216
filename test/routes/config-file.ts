import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A configuration file with these limits. @returns what to add to the environment */
export async function withLimits(t: TestContext, limits: Record<string, number>): Promise<{ TOOLEXEC_CONFIG: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-config-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'config.json');
  await writeFile(file, JSON.stringify({ limits }));
  return { TOOLEXEC_CONFIG: file };
}
