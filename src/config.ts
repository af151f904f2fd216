// The only reader of the environment: one schema, one frozen object. An empty variable is an unset one; a wrong value
// stops the start with one clear line that names it and says what to give instead.
import { realpathSync, statSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { operatorKeys, readKeys } from './config/api-keys.ts';
import { ConfigError } from './config/config-error.ts';
import { ConfigFile, readConfigFile } from './config/config-file.ts';
import { modelOf, webSearchOf } from './config/engines.ts';
import { parseSettings } from './config/parse-settings.ts';
import { COUNT, DAY_MS, httpUrl, list, listOf, MIB, oneOf, wholeText } from './config/setting-kinds.ts';
import { telemetryOf } from './config/telemetry.ts';
import { PERMISSION_MODES, SEARCH_PROVIDERS } from './contract/index.ts';

export { ConfigError };

/** What not every service wants: families of tools that are switched on by name. */
const FEATURES = ['tasks', 'cron', 'teams', 'lsp'] as const;

/** A shell alone takes a few megabytes. */
const MEMORY = { min: 16 * MIB, max: 2 ** 50 };

const Environment = z.object({
  TOOLEXEC_HOST: z.string().default('127.0.0.1'),
  TOOLEXEC_PORT: wholeText({ min: 0, max: 65_535 }).default(8080),
  TOOLEXEC_DATA_DIR: z.string().default('./.toolexec'),
  TOOLEXEC_WORKSPACE_ROOTS: listOf('directories that are there', isDirectory),
  TOOLEXEC_API_KEYS: z.string().default(''),
  TOOLEXEC_ALLOWED_ORIGINS: listOf('origins such as https://app.example.com, without a path', isOrigin),
  TOOLEXEC_ALLOWED_HOSTS: listOf('names such as tools.example.com or tools.example.com:8443', isHost),
  TOOLEXEC_STORE: z
    .string()
    .regex(/^(sqlite$|rediss?:\/\/.)/, { error: 'give sqlite, or redis[s]://user:password@host:port' })
    .default('sqlite'),
  TOOLEXEC_ADVERTISE_URL: z.string().refine(isBareUrl, { error: 'give a URL such as http://10.0.0.7:8080, without a path' }).optional(),
  TOOLEXEC_LEASE_TTL_MS: wholeText({ min: 1_000, max: DAY_MS }).default(15_000),
  TOOLEXEC_DRAIN_GRACE_MS: wholeText({ min: 0, max: DAY_MS }).default(30_000),
  TOOLEXEC_MAX_TOOL_USE_CONCURRENCY: wholeText(COUNT).optional(),
  CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY: wholeText(COUNT).optional(),
  TOOLEXEC_MAX_PROCESSES: wholeText(COUNT).default(64),
  TOOLEXEC_SANDBOX: oneOf('off', 'auto', 'required', 'external').default('auto'),
  TOOLEXEC_ALLOWED_MODES: list.pipe(z.array(z.enum(PERMISSION_MODES, { error: `give some of ${PERMISSION_MODES.join(', ')}` }))),
  TOOLEXEC_COMMAND_MEMORY_BYTES: wholeText(MEMORY).default(2048 * MIB),
  TOOLEXEC_EGRESS_ALLOW: list,
  TOOLEXEC_TOOLS_DIR: z.string().refine(isDirectory, { error: 'give a directory that is there' }).optional(),
  TOOLEXEC_SKILLS_DIR: z.string().refine(isDirectory, { error: 'give a directory that is there' }).optional(),
  TOOLEXEC_FEATURES: list.pipe(z.array(z.enum(FEATURES, { error: `give some of ${FEATURES.join(', ')}, comma separated` }))),
  TOOLEXEC_OPERATOR_KEYS: list,
  TOOLEXEC_MODEL_BASE_URL: httpUrl.optional(),
  TOOLEXEC_MODEL_API_KEY: z.string().optional(),
  TOOLEXEC_MODEL: z.string().optional(),
  TOOLEXEC_SEARCH_PROVIDER: oneOf(...SEARCH_PROVIDERS).optional(),
  TOOLEXEC_SEARCH_URL: httpUrl.optional(),
  TOOLEXEC_SEARCH_API_KEY: z.string().optional(),
  TOOLEXEC_AUTO_MODE_URL: httpUrl.optional(),
  TOOLEXEC_LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  TOOLEXEC_CONFIG: z.string().optional(),
});

/** Which the command line gives to a service elsewhere; this one does not read it. */
const KEY_OF_THE_COMMAND = 'TOOLEXEC_KEY';

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** @throws ConfigError with one line that names what is wrong */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const given = withoutEmpty(environment);
  // It stands in for ours, and says nothing beside it.
  if (given['TOOLEXEC_MAX_TOOL_USE_CONCURRENCY'] !== undefined) delete given['CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY'];
  const env = parseSettings(Environment, given, ([name = '']) => name);
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
    allowedHosts: env.TOOLEXEC_ALLOWED_HOSTS.map((host) => host.toLowerCase()),
    allowedModes: env.TOOLEXEC_ALLOWED_MODES.length > 0 ? env.TOOLEXEC_ALLOWED_MODES : [...PERMISSION_MODES],
    /** `sqlite`, or the address of a Redis, which holds a password. */
    store: env.TOOLEXEC_STORE,
    leaseTtlMs: env.TOOLEXEC_LEASE_TTL_MS,
    /** Where other nodes reach this one; where it listens when absent. */
    advertisedUrl: env.TOOLEXEC_ADVERTISE_URL && new URL(env.TOOLEXEC_ADVERTISE_URL).origin,
    sandbox: env.TOOLEXEC_SANDBOX,
    drainGraceMs: env.TOOLEXEC_DRAIN_GRACE_MS,
    /** Files of the service that no session may read: absolute paths. */
    secretFiles: secretFiles(env),
    maxConcurrency: env.TOOLEXEC_MAX_TOOL_USE_CONCURRENCY ?? env.CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY ?? 10,
    maxProcesses: env.TOOLEXEC_MAX_PROCESSES,
    commandMemoryBytes: env.TOOLEXEC_COMMAND_MEMORY_BYTES,
    /** Texts of exemptions from the block on private addresses. */
    egressAllow: env.TOOLEXEC_EGRESS_ALLOW,
    /** Where the operator's own tools lie, one folder each. */
    toolsDir: env.TOOLEXEC_TOOLS_DIR === undefined ? undefined : resolve(env.TOOLEXEC_TOOLS_DIR),
    /** Who judges calls in mode `auto`; without it such calls ask. */
    autoModeUrl: env.TOOLEXEC_AUTO_MODE_URL,
    /** Where the operator's skills lie, one folder each: the path that models are told must be there inside of a sandbox. */
    skillsDir: env.TOOLEXEC_SKILLS_DIR === undefined ? undefined : realpathSync(env.TOOLEXEC_SKILLS_DIR),
    features: env.TOOLEXEC_FEATURES,
    /** Names of the keys whose sessions may change settings by a call; without any keys, everybody is the operator. */
    operatorKeys: keys.length === 0 ? [''] : operatorKeys(env.TOOLEXEC_OPERATOR_KEYS, keys),
    /** The Messages API that agents work with. */
    model: modelOf(env),
    webSearch: webSearchOf(env),
    /** Where traces go; `undefined`: there are none. */
    telemetry: telemetryOf(given),
    languageServers: file.language_servers,
    logLevel: env.TOOLEXEC_LOG_LEVEL,
    permissions: file.permissions,
    hooks: file.hooks,
    tools: file.tools,
    mcpServers: file.mcp_servers,
    sandboxSettings: file.sandbox,
    limits: Object.freeze(file.limits),
    /** Names of variables that look like settings and are none: misspelt, or of another version. */
    unknownVariables: Object.keys(given).filter(
      (name) => name.startsWith('TOOLEXEC_') && name !== KEY_OF_THE_COMMAND && !Object.hasOwn(Environment.shape, name),
    ),
  });
}

function withoutEmpty(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined || value.trim() === '' ? [] : [[name, value]])),
  );
}

/** The files that hold the keys and settings themselves. */
function secretFiles({ TOOLEXEC_API_KEYS: keys, TOOLEXEC_CONFIG: file }: z.output<typeof Environment>): readonly string[] {
  return [...(keys.startsWith('@') ? [keys.slice(1)] : []), ...(file === undefined ? [] : [file])].map((path) => resolve(path));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, or not to be seen by this user: either way sessions could not use it.
    return false;
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

/** One that names a server and nothing on it. */
function isBareUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, origin, href } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && href === `${origin}/`;
}

/** A name or address, with a port where the Host header has one. */
function isHost(text: string): boolean {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+|[0-9a-f:]+:[0-9a-f:]*)(:\d+)?$/i.test(text);
}
