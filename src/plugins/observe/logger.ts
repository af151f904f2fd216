import { pino, type Logger } from 'pino';
import type { Config } from '../../config.ts';
import { logRedaction } from './log-redaction.ts';

/** Bytes that are written together, as soon as they are there: a write for each line costs as much as the call it tells of. */
const TOGETHER_BYTES = 4_096;
/** Milliseconds after which fewer are written too. */
const FLUSH_MS = 100;
/** Bytes that wait when nobody reads the log; lines beyond that are dropped. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Writes lines of JSON to standard output, without secrets, and never makes the service wait for whoever reads them. */
export function createLogger({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  const options = { sync: false, minLength: TOGETHER_BYTES, periodicFlush: FLUSH_MS, maxLength: MOST_BYTES };
  return pino({ level: logLevel, ...logRedaction }, pino.destination(options));
}
