// The file that TOOLEXEC_CONFIG names: what is too long for a variable.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '../contract/index.ts';
import { ConfigError } from './config-error.ts';
import { parseSettings } from './parse-settings.ts';
import { COUNT, MIB, TIME, whole } from './setting-kinds.ts';

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
export const ConfigFile = section({
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

/** @throws ConfigError */
export function readConfigFile(path: string): z.output<typeof ConfigFile> {
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`TOOLEXEC_CONFIG: ${path} could not be read as JSON: ${messageOf(error)}`);
  }
  return parseSettings(ConfigFile, file, (keys) => `TOOLEXEC_CONFIG (${path})${keys.map((key) => `, ${key}`).join('')}`);
}
