// The service itself with the tools of the benchmark, on a data directory of its own that goes with it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../src/app.ts';
import { compileEarly } from '../../src/compile-early.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/plugins/observe/logger.ts';
import { localLeases } from '../../src/store/local-leases.ts';
import { benchTools } from './bench-tools.ts';
import { forgetfulStore } from './forgetful-store.ts';
import { loopWatch } from './loop-watch.ts';
import { serveParent } from './serve-parent.ts';

/** One client measures with more sessions, sockets and requests than one key has by default. */
const LIMITS = { sessions_per_key: 50_000, sockets_per_key: 20_000, requests_per_minute: 100_000_000 };
const FORGETFUL = process.env['BENCH_STORE'] === 'forgetful';

compileEarly();
const base = await mkdtemp(join(tmpdir(), 'toolexec-bench-'));
const removeBase = (): Promise<void> => rm(base, { recursive: true, force: true });
const held: Buffer[] = [];
const watch = loopWatch();
try {
  const configFile = join(base, 'config.json');
  await writeFile(configFile, JSON.stringify({ limits: LIMITS }));
  const dataDir = join(base, 'data');
  await mkdir(dataDir);
  const config = readConfig({
    ...process.env,
    TOOLEXEC_PORT: '0',
    TOOLEXEC_CONFIG: configFile,
    TOOLEXEC_DATA_DIR: dataDir,
    TOOLEXEC_DRAIN_GRACE_MS: '2000',
  });
  const app = await buildApp({
    config,
    logger: createLogger(config),
    extraTools: benchTools(),
    ...(FORGETFUL && { kept: { store: forgetfulStore(), leases: localLeases('node_bench'), close: async () => undefined } }),
  });
  await app.listen({ host: config.host, port: config.port });
  serveParent({
    ports: { http: (app.server.address() as AddressInfo).port },
    asked: {
      // Filled, because memory that was never written to is not there.
      hold: (bytes) => void held.push(Buffer.alloc(bytes as number, 1)),
      watchLoop: () => watch.begin(),
      longestBlockMs: () => watch.longestMs(),
    },
    async close() {
      try {
        await app.close();
      } finally {
        await removeBase();
      }
    },
  });
} catch (error) {
  await removeBase();
  throw error;
}
