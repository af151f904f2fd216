// What may be written down about MCP servers, by an operator or for one session, as it travels: name → server.
import { z } from 'zod';
import { headerFields, programFields, ServerName, withoutNul } from '../../contract/index.ts';

const MAX_SERVERS = 20;
const DAY_MS = 86_400_000;

/** Joined to the name of a tool by `__`, it must be possible to tell where it ends: no `__` in it, and no `_` at its end. */
const ToolServerName = ServerName.refine((name) => !name.includes('__') && !name.endsWith('_'), {
  error: 'A server name has no __ in it and no _ at its end.',
});

/** Header fields of the protocol. */
const OF_PROTOCOL = /^(accept|accept-encoding|last-event-id|mcp-.*)$/i;

const timeout_ms = z.int().min(1).max(DAY_MS).optional().describe('Milliseconds that one call may take.');

const Stdio = (mayChange: (variable: string) => boolean) =>
  z.strictObject({
    type: z.literal('stdio'),
    ...programFields(mayChange),
    cwd: withoutNul(4_096).min(1).optional().describe('The directory to start in; a relative path begins at the workspace.'),
    timeout_ms,
  });

const Http = z.strictObject({
  type: z.literal('http'),
  url: z
    .url({ protocol: /^https?$/, error: 'Give a URL that begins with http:// or https://.' })
    .max(2_048)
    .refine((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), { error: 'A URL holds no user name: use headers.' }),
  headers: headerFields(OF_PROTOCOL),
  timeout_ms,
});

function servers<Server extends z.core.SomeType>(server: Server) {
  return z
    .record(ToolServerName, server)
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
