// The only reader of the environment: one schema, one frozen object. An empty variable is an unset one; a wrong value
// stops the start with one clear line that names it.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { PERMISSION_MODES } from './contract/index.ts';

/** A setting that cannot be used; the message is one line that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const positive = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const Environment = z.object({
  TOOLEXEC_HOST: z.string().default('127.0.0.1'),
  TOOLEXEC_PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  TOOLEXEC_DATA_DIR: z.string().default('./.toolexec'),
  TOOLEXEC_WORKSPACE_ROOTS: list,
  TOOLEXEC_API_KEYS: z.string().default(''),
  TOOLEXEC_ALLOWED_ORIGINS: list,
  TOOLEXEC_ALLOWED_HOSTS: list,
  TOOLEXEC_STORE: z.literal('sqlite', { error: 'this version has the store "sqlite" only' }).default('sqlite'),
  TOOLEXEC_DRAIN_GRACE_MS: z.coerce.number().int().min(0).default(30_000),
  TOOLEXEC_MAX_TOOL_USE_CONCURRENCY: z.coerce.number().int().min(1).optional(),
  CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY: z.coerce.number().int().min(1).optional(),
  TOOLEXEC_MAX_PROCESSES: positive(64),
  TOOLEXEC_SANDBOX: z.enum(['off', 'auto'], { error: 'this version has no sandbox yet: "off" or "auto"' }).default('auto'),
  TOOLEXEC_ALLOWED_MODES: list.pipe(z.array(z.enum(PERMISSION_MODES))),
  TOOLEXEC_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  TOOLEXEC_CONFIG: z.string().optional(),
});

const Limits = z.strictObject({
  /** Bytes of a request body, and of a WebSocket frame. */
  body_bytes: positive(10 * 1024 * 1024),
  json_depth: positive(200),
  calls_per_turn: positive(1_000),
  queued_turns: positive(16),
  sessions_per_key: positive(10_000),
  sockets_per_key: positive(2_000),
  log_events: positive(50_000),
  log_turns: positive(10_000),
  grace_ms: positive(2_000),
  reconnect_ms: positive(10_000),
});

const ConfigFile = z.strictObject({ limits: Limits.prefault({}) });

export interface ApiKey {
  readonly name: string;
  readonly secret: string;
}

export type Config = Readonly<ReturnType<typeof readConfig>>;
export type Limits = z.output<typeof Limits>;

/** @throws ConfigError with one line that names what is wrong */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const env = parse(Environment, withoutEmpty(environment), (name) => name);
  const file = env.TOOLEXEC_CONFIG === undefined ? ConfigFile.parse({}) : readConfigFile(env.TOOLEXEC_CONFIG);
  const keys = readKeys(env.TOOLEXEC_API_KEYS);
  if (keys.length === 0 && !isLoopback(env.TOOLEXEC_HOST)) {
    throw new ConfigError(`TOOLEXEC_HOST is ${env.TOOLEXEC_HOST}, which others can reach: set TOOLEXEC_API_KEYS, or listen on 127.0.0.1.`);
  }
  return Object.freeze({
    host: env.TOOLEXEC_HOST,
    port: env.TOOLEXEC_PORT,
    dataDir: resolve(env.TOOLEXEC_DATA_DIR),
    workspaceRoots: env.TOOLEXEC_WORKSPACE_ROOTS.map((root) => resolve(root)),
    keys,
    allowedOrigins: env.TOOLEXEC_ALLOWED_ORIGINS,
    allowedHosts: env.TOOLEXEC_ALLOWED_HOSTS,
    allowedModes: env.TOOLEXEC_ALLOWED_MODES.length > 0 ? env.TOOLEXEC_ALLOWED_MODES : [...PERMISSION_MODES],
    drainGraceMs: env.TOOLEXEC_DRAIN_GRACE_MS,
    maxConcurrency: env.TOOLEXEC_MAX_TOOL_USE_CONCURRENCY ?? env.CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY ?? 10,
    maxProcesses: env.TOOLEXEC_MAX_PROCESSES,
    logLevel: env.TOOLEXEC_LOG_LEVEL,
    limits: Object.freeze(file.limits),
  });
}

function withoutEmpty(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined || value.trim() === '' ? [] : [[name, value]])),
  );
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, naming: (path: string) => string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ConfigError(`${naming(issue?.path.join('.') ?? '')}: ${issue?.message ?? 'is wrong'}.`);
}

function readConfigFile(path: string): z.output<typeof ConfigFile> {
  let text: unknown;
  try {
    text = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`TOOLEXEC_CONFIG: ${path} could not be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parse(ConfigFile, text, (key) => `TOOLEXEC_CONFIG (${path}), ${key || 'top level'}`);
}

function readKeys(setting: string): readonly ApiKey[] {
  const text = setting.startsWith('@') ? readKeyFile(setting.slice(1)) : setting;
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const keys = parts.map((part) => {
    const colon = part.indexOf(':');
    if (colon < 1 || part.length - colon - 1 < 8)
      throw new ConfigError('TOOLEXEC_API_KEYS: each entry is name:key, with a key of at least 8 characters.');
    return { name: part.slice(0, colon), secret: part.slice(colon + 1) };
  });
  if (new Set(keys.map(({ name }) => name)).size < keys.length) throw new ConfigError('TOOLEXEC_API_KEYS: two keys have the same name.');
  return keys;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(`TOOLEXEC_API_KEYS: the file ${path} could not be read.`);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
