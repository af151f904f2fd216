// From the start of the process to the first answer that it is ready: the built service, against a bare Fastify.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../chaos/world/free-port.ts';
import { both, type Contest } from '../contest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = join(ROOT, 'dist/src/server.js');
const BARE = join(ROOT, 'bench/servers/bare-fastify.ts');
const SECOND_MS = 1_000;
const PATIENCE_MS = 30_000;
const LOOK_EACH_MS = 2;

export function startUp(): Contest {
  const line = { row: 'T', name: 'built service: start to /readyz', unit: 'ms' } as const;
  return {
    calls: 1,
    warmUps: 2,
    lines: [
      { ...line, against: 'a second', target: 1 },
      { ...line, against: 'bare Fastify', target: null },
    ],
    async open() {
      buildWhereOld();
      const directory = await mkdtemp(join(tmpdir(), 'toolexec-bench-'));
      return {
        async measure(oursFirst) {
          const times = await both(oursFirst, { ours: () => timeToReady(BUILT, directory), theirs: () => timeToReady(BARE, directory) });
          return [{ ours: times.ours, theirs: SECOND_MS }, times];
        },
        close: () => rm(directory, { recursive: true, force: true }),
      };
    },
  };
}

/** @returns milliseconds, with the code that a start before has compiled */
async function timeToReady(file: string, directory: string): Promise<number> {
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: join(directory, 'compiled'),
    TOOLEXEC_PORT: String(port),
    TOOLEXEC_DATA_DIR: join(directory, 'data'),
  };
  const startMs = performance.now();
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    while (!(await isReady(`http://127.0.0.1:${port}/readyz`))) {
      if (child.exitCode !== null) throw new Error(`${file} ended with code ${child.exitCode} before it was ready.`);
      if (performance.now() - startMs > PATIENCE_MS) throw new Error(`${file} was not ready after ${PATIENCE_MS} ms.`);
      await sleep(LOOK_EACH_MS);
    }
    return performance.now() - startMs;
  } finally {
    child.kill();
    await exited;
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const reply = await fetch(url);
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    // Nobody listens yet.
    return false;
  }
}

function buildWhereOld(): void {
  const sources = globSync('{src,routes,tools}/**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] });
  const newest = Math.max(...sources.map((file) => statSync(join(ROOT, file)).mtimeMs));
  if ((statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0) > newest) return;
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The service could not be built: ${stdout.slice(0, 500)}`);
}
