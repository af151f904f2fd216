// The process: see that Node is new enough, read the configuration, build, listen, drain, close. Whatever keeps it from
// starting is told in one line.
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { compileEarly } from './compile-early.ts';
import type { Config } from './config.ts';

const OLDEST_NODE = 24;
/** A signal that comes again this soon is the same one: npm passes on what the whole process group has got already. */
const SAME_SIGNAL_MS = 2_000;

if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  refuse(
    `it needs Node ${OLDEST_NODE} or later, and this is ${process.versions.node}. Where the packages were installed, npx node runs the one that came with them.`,
  );
}
// Only now: an older Node cannot even load them.
const { enableCompileCache } = await import('node:module');
// What was compiled once is read at the next start. It is code that runs: so it lies where the packages do.
const root = join(import.meta.dirname, extname(import.meta.filename) === '.ts' ? '..' : '../..');
enableCompileCache(join(root, 'node_modules/.cache/compiled'));
compileEarly();
const { buildApp, createLogger } = await import('./app.ts');
const { readConfig } = await import('./config.ts');
const { default: closeWithGrace } = await import('close-with-grace');

const config = configOrRefuse();
const logger = createLogger(config);
if (config.unknownVariables.length > 0) {
  logger.warn({ variables: config.unknownVariables }, `these variables are not settings: ${config.unknownVariables.join(', ')}`);
}
const app = await buildApp({ config, logger, environment: process.env }).catch((error: unknown) => {
  logger.debug({ err: error }, 'start failed');
  return refuse(buildFault(error));
});
closeOnSignals();
const address = await listen(app);
const { sandbox } = app.services;
if (sandbox.mode === 'off') logger.warn({ reason: sandbox.reason }, `commands are not shut in: ${sandbox.reason}`);
logger.info(
  { address, data_dir: config.dataDir, keys: config.keys.length, sandbox: sandbox.mode },
  `toolexec listens on ${address}; see ${address}/console and ${address}/docs`,
);
logger.flush();

function configOrRefuse(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    return refuse(firstLine(error));
  }
}

/** The first signal drains; another one, or the same again later, ends the process at once. */
function closeOnSignals(): void {
  const { close } = closeWithGrace({ delay: config.drainGraceMs + 10_000, logger, skip: ['SIGTERM', 'SIGINT'] }, async ({ err }) => {
    if (err !== undefined) logger.error({ err }, 'stopping after an error');
    await app.close();
  });
  let first: { readonly signal: string; readonly at: number } | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = { signal, at: performance.now() };
      logger.info({ signal }, 'draining');
      close();
    } else if (first.signal !== signal || performance.now() - first.at > SAME_SIGNAL_MS) {
      logger.error({ signal }, 'told again to stop: what still runs is not waited for');
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
}

async function listen(built: FastifyInstance): Promise<string> {
  const { host, port } = config;
  try {
    return await built.listen({ host, port });
  } catch (error) {
    await built.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') refuse(`port ${port} of ${host} is in use: stop what listens there, or set TOOLEXEC_PORT.`);
    if (code === 'EACCES') refuse(`this user may not listen on port ${port}: set TOOLEXEC_PORT to one from 1024 on.`);
    return refuse(`TOOLEXEC_HOST is ${host}, which is not an address of this machine: ${firstLine(error)}`);
  }
}

function buildFault(error: unknown): string {
  const { syscall, path } = error as NodeJS.ErrnoException;
  const inDataDir = syscall !== undefined && path?.startsWith(config.dataDir) === true;
  return inDataDir ? `TOOLEXEC_DATA_DIR is ${config.dataDir}, which cannot be used: ${firstLine(error)}` : firstLine(error);
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

function refuse(reason: string): never {
  process.stderr.write(`toolexec cannot start: ${reason}\n`);
  process.exit(1);
}
