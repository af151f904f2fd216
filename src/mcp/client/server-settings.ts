// What may be written down about MCP servers, by an operator or for one session, as it travels: name → server.
import { z } from 'zod';
import { HEADER_NAME, HEADER_VALUE } from '../../contract/index.ts';

const MAX_SERVERS = 20;
const MAX_ENTRIES = 100;
const DAY_MS = 86_400_000;

/**
 * Joined to the name of a tool by `__`, it must be possible to tell where it ends: no `__` in it, and no `_` at its end.
 */
const ServerName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,40}$/, { error: 'A server name has letters, digits, _ and - only, at most 40.' })
  .refine((name) => !name.includes('__') && !name.endsWith('_'), { error: 'A server name has no __ in it and no _ at its end.' });

/** Header fields that belong to the connection or to the protocol. */
const OWN_HEADERS =
  /^(host|connection|content-length|content-type|transfer-encoding|expect|upgrade|te|trailer|keep-alive|accept|accept-encoding|last-event-id|mcp-.*)$/i;

const timeout_ms = z.int().min(1).max(DAY_MS).optional().describe('Milliseconds that one call may take.');

const Stdio = (mayChange: (variable: string) => boolean) =>
  z.strictObject({
    type: z.literal('stdio'),
    command: plainText(4_096).min(1, { error: 'Give the program to start.' }).describe('A path from the workspace, or a name to look up.'),
    args: z.array(plainText(32_768)).max(MAX_ENTRIES).default([]),
    env: bounded(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, { error: 'A variable name has letters, digits and _ only.' })
        .refine(mayChange, { error: 'This variable changes how programs load: it cannot be set.' }),
      plainText(32_768),
    ),
    cwd: plainText(4_096).min(1).optional().describe('The directory to start in; a relative path begins at the workspace.'),
    timeout_ms,
  });

const Http = z.strictObject({
  type: z.literal('http'),
  url: z
    .url({ protocol: /^https?$/, error: 'Give a URL that begins with http:// or https://.' })
    .max(2_048)
    .refine((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), { error: 'A URL holds no user name: use headers.' }),
  headers: bounded(
    z
      .string()
      .regex(HEADER_NAME, { error: 'That is no name of a header.' })
      .refine((name) => !OWN_HEADERS.test(name), { error: 'This header cannot be set.' }),
    z.string().regex(HEADER_VALUE, { error: 'Give printable ASCII on one line, at most 8192 characters.' }),
  ),
  timeout_ms,
});

function plainText(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), { error: 'A NUL character cannot be passed on: remove it.' });
}

function bounded(key: z.ZodString, value: z.ZodString) {
  return z
    .record(key, value)
    .refine((record) => Object.keys(record).length <= MAX_ENTRIES, { error: `At most ${MAX_ENTRIES} entries.` })
    .default({});
}

function servers<Server extends z.core.SomeType>(server: Server) {
  return z
    .record(ServerName, server)
    .refine((record) => Object.keys(record).length <= MAX_SERVERS, { error: `At most ${MAX_SERVERS} MCP servers.` });
}

export interface ServersSchemaOptions {
  /** Whether a server's `env` may set this variable. */
  readonly mayChange: (variable: string) => boolean;
}

/** `mcp_servers` of a session. */
export function sessionServersSchema({ mayChange }: ServersSchemaOptions) {
  return servers(z.discriminatedUnion('type', [Stdio(mayChange), Http]));
}

/** `mcp_servers` of the operator, who may also let a server run outside of the sandbox. */
export function operatorServersSchema({ mayChange }: ServersSchemaOptions) {
  const stdio = Stdio(mayChange).extend({ sandbox: z.literal(false).optional().describe('false: it runs outside of the sandbox.') });
  return servers(z.discriminatedUnion('type', [stdio, Http]));
}

export type StdioSettings = z.output<ReturnType<typeof Stdio>> & { readonly sandbox?: false | undefined };
export type HttpSettings = z.output<typeof Http>;
/** One MCP server. Its `env` and `headers` are secrets. */
export type ServerSettings = StdioSettings | HttpSettings;
