// The process: read the configuration, build, listen, drain, close.
import closeWithGrace from 'close-with-grace';
import { pino } from 'pino';
import { buildApp } from './app.ts';
import { ConfigError, readConfig, type Config } from './config.ts';

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`toolexec cannot start: ${error.message}\n`);
    return process.exit(1);
  }
}

const config = configOrExit();
const logger = pino({ level: config.logLevel, redact: ['req.headers.authorization', 'req.headers["sec-websocket-protocol"]'] });
const app = await buildApp({ config, logger });
closeWithGrace({ delay: config.drainGraceMs + 10_000, logger }, async ({ signal, err }) => {
  if (err !== undefined) logger.error({ err }, 'stopping after an error');
  else logger.info({ signal }, 'draining');
  await app.close();
});
const address = await app.listen({ host: config.host, port: config.port });
logger.info({ address, data_dir: config.dataDir, keys: config.keys.length }, `toolexec listens on ${address}; see ${address}/docs`);
