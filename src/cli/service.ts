// The service that a command asks: one that is there already, or one of its own that ends with the command.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../contract/index.ts';
import { UsageError } from './usage-error.ts';

export interface AskedService {
  /** @throws Error that says what the service has answered, when that is no success */
  request(path: string, options?: { body?: unknown; accept?: string }): Promise<Response>;
  close(): Promise<void>;
}

/** Options of commands that say which service is asked. */
export const SERVICE_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

export interface ServiceChoice {
  readonly url?: string | undefined;
  /** The key, or `@file`. */
  readonly key?: string | undefined;
  /** Absolute path of a directory in which sessions of an own service may work. */
  readonly workspace?: string;
  readonly signal: AbortSignal;
}

/** @throws UsageError, Error when an own service cannot be started */
export async function askService({ url, key, workspace, signal }: ServiceChoice): Promise<AskedService> {
  if (url === undefined) {
    if (key !== undefined) throw new UsageError('--key is for the service that --url names: give both, or neither.');
    return startOwn(workspace, signal);
  }
  if (!URL.canParse(url)) throw new UsageError(`--url is ${url}: give an address such as http://127.0.0.1:8080.`);
  return { request: requester({ url, key: keyOf(key ?? process.env['TOOLEXEC_KEY']), signal }), close: () => Promise.resolve() };
}

/** A service with a data directory of its own, on a port that nobody else may use. */
async function startOwn(workspace: string | undefined, signal: AbortSignal): Promise<AskedService> {
  // Whoever asks a service that is there need not load all of one.
  const { ConfigError, readConfig } = await import('../config.ts');
  const { buildApp } = await import('../app.ts');
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-run-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  const key = randomBytes(24).toString('base64url');
  try {
    const config = readConfig({
      ...process.env,
      TOOLEXEC_HOST: '127.0.0.1',
      TOOLEXEC_PORT: '0',
      TOOLEXEC_STORE: 'sqlite',
      TOOLEXEC_DATA_DIR: dataDir,
      TOOLEXEC_API_KEYS: `cli:${key}`,
      TOOLEXEC_OPERATOR_KEYS: 'cli',
      TOOLEXEC_DRAIN_GRACE_MS: '0',
      TOOLEXEC_WORKSPACE_ROOTS: workspace,
    });
    const app = await buildApp({ config, logger: undefined, environment: process.env });
    const close = async (): Promise<void> => {
      await app.close();
      await remove();
    };
    try {
      const url = await app.listen({ host: '127.0.0.1', port: 0 });
      return { request: requester({ url, key, signal }), close };
    } catch (error) {
      await app.close();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

function keyOf(given: string | undefined): string | undefined {
  if (given?.startsWith('@') !== true) return given;
  try {
    return readFileSync(given.slice(1), 'utf8').trim();
  } catch (error) {
    throw new UsageError(`The file that holds the key could not be read: ${messageOf(error)}`);
  }
}

function requester({ url, key, signal }: { url: string; key: string | undefined; signal: AbortSignal }): AskedService['request'] {
  return async (path, { body, accept = 'application/json' } = {}) => {
    let response: Response;
    try {
      response = await fetch(new URL(path, url), {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept,
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      const { cause = error } = error as { cause?: unknown };
      throw new Error(`The service at ${url} cannot be reached: ${messageOf(cause)}. ${WHERE_TO_ASK}`, { cause: error });
    }
    if (response.ok) return response;
    const said = refusal(await response.text(), response.status);
    throw new Error(response.status === 401 ? `${said} ${key === undefined ? NO_KEY : WRONG_KEY}` : said);
  };
}

const WHERE_TO_ASK = 'Start one there with toolexec serve, or leave out --url for one that is started for this alone.';
const NO_KEY = 'Give it with --key <key>, with --key @file, or in TOOLEXEC_KEY.';
const WRONG_KEY = 'The one that was given (--key, or TOOLEXEC_KEY) is none of the keys in its TOOLEXEC_API_KEYS.';

/** In the words of the service, where it has some. */
function refusal(text: string, status: number): string {
  try {
    const { detail, errors = [] } = JSON.parse(text) as { detail?: string; errors?: { path: string; message: string }[] };
    if (detail !== undefined) return [detail, ...errors.map(({ path, message }) => `  ${path}: ${message}`)].join('\n');
  } catch {
    // Something before the service has answered.
  }
  return `The service has answered with status ${status}: ${text.slice(0, 500)}`;
}
