// The only reader of the environment: one schema, one frozen object. An empty variable is an unset one; a wrong value
// stops the start with one clear line that names it and says what to give instead.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { messageOf, PERMISSION_MODES } from './contract/index.ts';

/** A setting that cannot be used; the message is one line that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const DAY_MS = 86_400_000;
const COUNT = { min: 1, max: 1_000_000_000 };
/** Timers do not run longer than this. */
const TIME = { min: 1, max: DAY_MS };
const MIB = 1024 * 1024;
/** A shell alone takes a few megabytes. */
const MEMORY = { min: 16 * MIB, max: 2 ** 50 };

interface Range {
  readonly min: number;
  readonly max: number;
}

const whole = ({ min, max }: Range) => {
  const error = `give a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
const wholeText = (range: Range) =>
  z
    .string()
    .trim()
    .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : text))
    .pipe(whole(range));
const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, { error: `give ${words.length === 1 ? words[0] : `one of ${words.join(', ')}`}` });
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
const listOf = (what: string, isOne: (part: string) => boolean) =>
  list.pipe(z.array(z.string().refine(isOne, { error: `give ${what}, comma separated` })));

const httpUrl = z.url({ protocol: /^https?$/, error: 'give a URL that begins with http:// or https://' });

/** What not every service wants: families of tools that are switched on by name. */
const FEATURES = ['tasks', 'cron', 'teams', 'lsp'] as const;

const Environment = z.object({
  TOOLEXEC_HOST: z.string().default('127.0.0.1'),
  TOOLEXEC_PORT: wholeText({ min: 0, max: 65_535 }).default(8080),
  TOOLEXEC_DATA_DIR: z.string().default('./.toolexec'),
  TOOLEXEC_WORKSPACE_ROOTS: listOf('directories that are there', isDirectory),
  TOOLEXEC_API_KEYS: z.string().default(''),
  TOOLEXEC_ALLOWED_ORIGINS: listOf('origins such as https://app.example.com, without a path', isOrigin),
  TOOLEXEC_ALLOWED_HOSTS: listOf('names such as tools.example.com or tools.example.com:8443', isHost),
  TOOLEXEC_STORE: oneOf('sqlite').default('sqlite'),
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
  TOOLEXEC_SEARCH_PROVIDER: oneOf('searxng', 'brave', 'tavily').optional(),
  TOOLEXEC_SEARCH_URL: httpUrl.optional(),
  TOOLEXEC_SEARCH_API_KEY: z.string().optional(),
  TOOLEXEC_AUTO_MODE_URL: httpUrl.optional(),
  TOOLEXEC_LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
  TOOLEXEC_CONFIG: z.string().optional(),
});

/** A JSON object whose keys are all known. */
const section = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape, { error: 'give an object, in { and }' });

const Limits = section({
  /** Bytes of a request body, and of a WebSocket frame. */
  body_bytes: whole(COUNT).default(10 * MIB),
  /** Bytes of all request bodies that are being read or worked on. */
  bodies_in_flight_bytes: whole(COUNT).default(256 * MIB),
  json_depth: whole({ min: 1, max: 1_000 }).default(200),
  calls_per_turn: whole(COUNT).default(1_000),
  queued_turns: whole(COUNT).default(16),
  sessions_per_key: whole(COUNT).default(10_000),
  /** Bytes of files in a workspace that is a session's own; elsewhere, of one upload. */
  workspace_bytes: whole({ min: 1, max: 2 ** 50 }).default(8192 * MIB),
  tasks_per_session: whole(COUNT).default(16),
  /** Agents of one session that run at once. */
  agents_per_session: whole(COUNT).default(8),
  /** How deep agents may start agents: 1 is none but the session's own. */
  agent_depth: whole({ min: 1, max: 10 }).default(2),
  sockets_per_key: whole(COUNT).default(2_000),
  event_streams_per_key: whole(COUNT).default(2_000),
  /** Tickets that wait to be used. */
  tickets_per_key: whole(COUNT).default(1_000),
  requests_per_minute: whole(COUNT).default(120_000),
  /** From one address. */
  wrong_keys_per_minute: whole(COUNT).default(60),
  log_events: whole(COUNT).default(50_000),
  log_turns: whole(COUNT).default(10_000),
  grace_ms: whole(TIME).default(2_000),
  /** Milliseconds a dropped socket's turn waits for its client. */
  reconnect_ms: whole(TIME).default(10_000),
  /** Milliseconds a new socket may take to send its `open` frame. */
  open_frame_ms: whole(TIME).default(10_000),
  /** Milliseconds a client may take to read what waits for it. */
  reader_patience_ms: whole(TIME).default(30_000),
  /** Milliseconds between the comments of an event stream. */
  sse_comment_ms: whole(TIME).default(15_000),
}).superRefine(({ body_bytes, bodies_in_flight_bytes: input }, context) => {
  const message = `give at least body_bytes, which is ${body_bytes}`;
  if (input < body_bytes) context.addIssue({ code: 'custom', path: ['bodies_in_flight_bytes'], input, message });
});

const named = z.record(z.string(), z.unknown(), { error: 'give an object, in { and }' }).default({});
const texts = (what: string) => z.array(z.string().min(1).max(1_000), { error: `give a list of ${what}, in [ and ]` }).max(1_000);

/** What these mean is judged by who applies them, at the start. */
const ConfigFile = section({
  /** Texts of permission rules, which hold before those of any session. */
  permissions: section({
    allow: texts('rules').default([]),
    ask: texts('rules').default([]),
    deny: texts('rules').default([]),
  }).prefault({}),
  /** Groups of handlers by event. */
  hooks: named,
  /** Servers by name. */
  mcp_servers: named,
  /** Tools that sessions may have: all when `include` is `null`, and never those in `exclude`. */
  tools: section({ include: texts('names').nullable().default(null), exclude: texts('names').default([]) }).prefault({}),
  sandbox: section({
    /** `false`: a sandbox does not keep a command from being asked for, whatever the session says. */
    auto_allow_bash: z.boolean({ error: 'give true or false' }).default(true),
    /** Directories beside those of the system that commands may read, such as one with tool chains. */
    readable: texts('directories').default([]),
  }).prefault({}),
  /** Programs that understand code, by name. */
  language_servers: named,
  limits: Limits.prefault({}),
});

export interface ApiKey {
  readonly name: string;
  /** SHA-256 of the key, which itself is not kept. */
  readonly digest: Buffer;
}

type Settings = z.output<typeof Environment>;

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** @throws ConfigError with one line that names what is wrong */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const given = withoutEmpty(environment);
  const env = parse(Environment, given, ([name = '']) => name);
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
    /** Where the operator's skills lie, one folder each. */
    skillsDir: env.TOOLEXEC_SKILLS_DIR === undefined ? undefined : resolve(env.TOOLEXEC_SKILLS_DIR),
    features: env.TOOLEXEC_FEATURES,
    /** Names of the keys whose sessions may change settings by a call; without any keys, everybody is the operator. */
    operatorKeys: keys.length === 0 ? [''] : operatorKeys(env.TOOLEXEC_OPERATOR_KEYS, keys),
    /** The Messages API that agents work with. */
    model: modelOf(env),
    webSearch: webSearchOf(env),
    languageServers: file.language_servers,
    logLevel: env.TOOLEXEC_LOG_LEVEL,
    permissions: file.permissions,
    hooks: file.hooks,
    tools: file.tools,
    mcpServers: file.mcp_servers,
    sandboxSettings: file.sandbox,
    limits: Object.freeze(file.limits),
    /** Names of variables that look like settings and are none: misspelt, or of another version. */
    unknownVariables: Object.keys(given).filter((name) => name.startsWith('TOOLEXEC_') && !Object.hasOwn(Environment.shape, name)),
  });
}

function withoutEmpty(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined || value.trim() === '' ? [] : [[name, value]])),
  );
}

/** @param naming the setting at a path, for the operator */
function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, naming: (path: string[]) => string): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map(String);
  if (issue?.code === 'unrecognized_keys') throw new ConfigError(`${naming(path)} has ${issue.keys.join(', ')}, which is not a setting.`);
  const inList = typeof issue?.path.at(-1) === 'number';
  throw new ConfigError(`${naming(path)} ${inList ? 'has' : 'is'} ${shown(issue?.input)}: ${issue?.message ?? 'it is wrong'}.`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function readConfigFile(path: string): z.output<typeof ConfigFile> {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`TOOLEXEC_CONFIG: ${path} could not be read as JSON: ${messageOf(error)}`);
  }
  return parse(ConfigFile, file, (keys) => `TOOLEXEC_CONFIG (${path})${keys.map((key) => `, ${key}`).join('')}`);
}

/** What a header can carry. */
const KEY_ENTRY = /^([^:]{1,100}):([\x21-\x7e]{8,1000})$/;

function readKeys(setting: string): readonly ApiKey[] {
  const text = setting.startsWith('@') ? readKeyFile(setting.slice(1)) : setting;
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const keys = parts.map((part) => {
    const [, name, secret] = KEY_ENTRY.exec(part) ?? [];
    if (name === undefined || secret === undefined) {
      throw new ConfigError('TOOLEXEC_API_KEYS: each entry is name:key, with a key of at least 8 visible ASCII characters.');
    }
    return { name, digest: createHash('sha256').update(secret).digest() };
  });
  if (hasTwice(keys.map(({ name }) => name))) throw new ConfigError('TOOLEXEC_API_KEYS: two keys have the same name.');
  if (hasTwice(keys.map(({ digest }) => digest.toString('hex')))) throw new ConfigError('TOOLEXEC_API_KEYS: two names have the same key.');
  return keys;
}

function operatorKeys(names: readonly string[], keys: readonly ApiKey[]): readonly string[] {
  const unknown = names.find((name) => !keys.some((key) => key.name === name));
  if (unknown !== undefined) throw new ConfigError(`TOOLEXEC_OPERATOR_KEYS has ${shown(unknown)}, which is no name in TOOLEXEC_API_KEYS.`);
  return names;
}

function modelOf({ TOOLEXEC_MODEL_BASE_URL: baseUrl, TOOLEXEC_MODEL_API_KEY: apiKey, TOOLEXEC_MODEL: model }: Settings) {
  if (baseUrl === undefined && apiKey === undefined && model === undefined) return undefined;
  if (baseUrl === undefined) throw new ConfigError('TOOLEXEC_MODEL_BASE_URL is missing: the other TOOLEXEC_MODEL settings need it.');
  if (model === undefined) throw new ConfigError('TOOLEXEC_MODEL is missing: name the model that TOOLEXEC_MODEL_BASE_URL serves.');
  return { baseUrl, model, ...(apiKey !== undefined && { apiKey }) };
}

/** Where the engines that are services are to be found. */
const SEARCH_URLS = { brave: 'https://api.search.brave.com', tavily: 'https://api.tavily.com' } as const;

function webSearchOf({ TOOLEXEC_SEARCH_PROVIDER: provider, TOOLEXEC_SEARCH_URL: given, TOOLEXEC_SEARCH_API_KEY: apiKey }: Settings) {
  if (provider === undefined) {
    if (given === undefined && apiKey === undefined) return undefined;
    throw new ConfigError('TOOLEXEC_SEARCH_PROVIDER is missing: give searxng, brave or tavily.');
  }
  if (provider === 'searxng') {
    if (given === undefined) throw new ConfigError('TOOLEXEC_SEARCH_URL is missing: give the address of your SearXNG.');
    return { provider, url: given, ...(apiKey !== undefined && { apiKey }) };
  }
  if (apiKey === undefined) throw new ConfigError(`TOOLEXEC_SEARCH_API_KEY is missing: ${provider} needs one.`);
  return { provider, url: given ?? SEARCH_URLS[provider], apiKey };
}

function secretFiles({
  TOOLEXEC_API_KEYS: keys,
  TOOLEXEC_CONFIG: file,
}: {
  TOOLEXEC_API_KEYS: string;
  TOOLEXEC_CONFIG?: string | undefined;
}): readonly string[] {
  return [...(keys.startsWith('@') ? [keys.slice(1)] : []), ...(file === undefined ? [] : [file])].map((path) => resolve(path));
}

function hasTwice(words: readonly string[]): boolean {
  return new Set(words).size < words.length;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(`TOOLEXEC_API_KEYS: the file ${path} could not be read.`);
  }
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

/** A name or address, with a port where the Host header has one. */
function isHost(text: string): boolean {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+|[0-9a-f:]+:[0-9a-f:]*)(:\d+)?$/i.test(text);
}
