// The one way out of a sandbox that has no network: a proxy behind a unix socket, for a session's list of domains. A request names
// a host; the list decides, then the guard checks its addresses, then bytes pass. What passes inside TLS is not looked at, so that
// a host that serves several names can be asked for any of them.
import { once } from 'node:events';
import { chmod, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { Agent } from 'undici';
import { dial, guardedConnector, type Dial } from './connect.ts';
import { allowsTarget, type AllowedDomain } from './domain-list.ts';
import type { EgressRules } from './egress.ts';
import { createLookUp, type LookUp } from './look-up.ts';
import type { Passage } from './passage.ts';
import { forwardRequest } from './proxy-forward.ts';
import { openTunnel } from './proxy-tunnel.ts';

export interface DomainProxyOptions {
  /** Where to listen, at most 107 bytes, in a directory of mode 700; nothing may be there yet. */
  readonly socketPath: string;
  readonly domains: readonly AllowedDomain[];
  readonly egress: EgressRules;
  /** Connections at a time; 64 when absent. Those above are dropped. */
  readonly maxConnections?: number;
  /** Milliseconds that a connection may lie still; 60 seconds when absent. */
  readonly idleMs?: number;
  readonly lookUp?: LookUp;
  readonly dial?: Dial;
}

export interface DomainProxy {
  readonly socketPath: string;
  /** Ends every connection and removes the socket. */
  close(): Promise<void>;
}

const DEFAULTS = { maxConnections: 64, idleMs: 60_000 };
const MAX_HEADER_BYTES = 16_384;
const HEADERS_TIMEOUT_MS = 10_000;
/** What the address of a unix socket has room for. */
const MAX_PATH_BYTES = 107;

/** @throws Error when it cannot listen there */
export async function startDomainProxy(options: DomainProxyOptions): Promise<DomainProxy> {
  const { socketPath, maxConnections = DEFAULTS.maxConnections, idleMs = DEFAULTS.idleMs } = options;
  if (Buffer.byteLength(socketPath) > MAX_PATH_BYTES) {
    throw new Error(`The path of a socket has at most ${MAX_PATH_BYTES} bytes: ${socketPath} is longer.`);
  }
  const passage = passageOf(options, idleMs);
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout: idleMs });
  server.maxConnections = maxConnections;
  server.setTimeout(idleMs);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    // Its type is wider, for servers that are given other streams as connections.
    void openTunnel(passage, { authority: request.url ?? '', client: client as Socket, head });
  });
  server.on('request', (request, response) => void forwardRequest(passage, request, response));
  try {
    await listenPrivately(server, socketPath);
  } catch (error) {
    await close(server, sockets, passage.agent);
    throw error;
  }
  return { socketPath, close: () => close(server, sockets, passage.agent) };
}

function passageOf(options: DomainProxyOptions, idleMs: number): Passage {
  const { domains, egress, lookUp: ask = createLookUp(), dial: dialTo = dial } = options;
  const guard = { egress, lookUp: ask };
  return {
    guard,
    dial: dialTo,
    agent: new Agent({
      connect: guardedConnector(guard, dialTo),
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    }),
    idleMs,
    refuse: (target) =>
      allowsTarget(domains, target) ? null : `${target.host}, port ${target.port}, is not among the allowed_domains of this session.`,
  };
}

/** The directory keeps others out from the start; a umask would hold for files that are made elsewhere in the same moment, too. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const { mode } = await stat(dirname(path));
  if ((mode & 0o077) !== 0) throw new Error(`${dirname(path)} can be entered by others: give a directory of mode 700.`);
  server.listen(path);
  await once(server, 'listening');
  server.on('error', () => {
    // A connection could not be taken, as when there are too many open files: its client sees that it ended.
  });
  await chmod(path, 0o600);
}

async function close(server: Server, sockets: ReadonlySet<Socket>, agent: Agent): Promise<void> {
  const closed = server.listening ? once(server, 'close') : Promise.resolve();
  server.close();
  for (const socket of sockets) socket.destroy();
  await Promise.all([closed, agent.destroy()]);
}
