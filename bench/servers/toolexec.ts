// The service itself with the tools of the benchmark, on a data directory of its own that goes with it.
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { benchTools } from './bench-tools.ts';
import { serveParent } from './serve-parent.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-bench-'));
const removeData = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
try {
  const config = readConfig({ ...process.env, TOOLEXEC_PORT: '0', TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_DRAIN_GRACE_MS: '2000' });
  const app = await buildApp({ config, logger: pino({ level: config.logLevel }), extraTools: benchTools() });
  await app.listen({ host: config.host, port: config.port });
  serveParent({
    ports: { http: (app.server.address() as AddressInfo).port },
    async close() {
      try {
        await app.close();
      } finally {
        await removeData();
      }
    },
  });
} catch (error) {
  await removeData();
  throw error;
}
