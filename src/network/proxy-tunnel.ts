// CONNECT: bytes pass both ways until one side ends.
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Passage } from './passage.ts';
import type { Target } from './egress.ts';
import { toFetchError } from './fetch-error.ts';
import { readHost, readPort } from './host-name.ts';
import { addressesOf } from './look-up.ts';

export interface TunnelRequest {
  /** What the client wrote behind CONNECT. */
  readonly authority: string;
  readonly client: Socket;
  /** What it sent on at once. */
  readonly head: Buffer;
}

const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d+)$/i;

/** Never throws: a client that may not pass is told why, and its connection ends. */
export async function openTunnel(passage: Passage, { authority, client, head }: TunnelRequest): Promise<void> {
  client.on('error', () => {
    // A broken connection is closed by itself; there is nobody to tell.
  });
  // At once, since a stream that has ended takes nothing back.
  if (head.length > 0) client.unshift(head);
  client.setTimeout(passage.idleMs, () => client.destroy());
  const target = readAuthority(authority);
  if (target === null) return refuse(client, '400 Bad Request', 'Write CONNECT host:port.');
  const refusal = passage.refuse(target);
  if (refusal !== null) return refuse(client, '403 Forbidden', refusal);
  let server: Socket;
  try {
    server = await passage.dial({ ...target, protocol: 'http:', addresses: await addressesOf(target, passage.guard) });
  } catch (error) {
    const { kind, message } = toFetchError(error, target.host);
    return refuse(client, kind === 'blocked' ? '403 Forbidden' : kind === 'timeout' ? '504 Gateway Timeout' : '502 Bad Gateway', message);
  }
  await pass(client, server);
}

function readAuthority(authority: string): Target | null {
  const [, hostText = '', portText = ''] = AUTHORITY.exec(authority) ?? [];
  const host = readHost(hostText);
  const port = readPort(portText);
  return host === null || port === null ? null : { host, port };
}

async function pass(client: Socket, server: Socket): Promise<void> {
  try {
    if (client.destroyed) return;
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    await Promise.all([pipeline(client, server), pipeline(server, client)]);
  } catch {
    // Either side broke off: both are closed below.
  } finally {
    client.destroy();
    server.destroy();
  }
}

function refuse(client: Socket, status: string, reason: string): void {
  const body = `${reason}\n`;
  client.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
