import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Json } from '../support/server.ts';

/** A configuration file. @returns what to add to the environment */
export async function withConfigFile(t: TestContext, content: Json): Promise<{ TOOLEXEC_CONFIG: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-config-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'config.json');
  await writeFile(file, JSON.stringify(content));
  return { TOOLEXEC_CONFIG: file };
}

/** A configuration file with these limits. */
export function withLimits(t: TestContext, limits: Record<string, number>): Promise<{ TOOLEXEC_CONFIG: string }> {
  return withConfigFile(t, { limits });
}
