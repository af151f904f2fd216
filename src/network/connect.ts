// How connections are made: to addresses that were checked for exactly this host and port. A connection that is kept open and
// used again leads where it led when it was checked.
import { isIPv6, type LookupFunction, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { Target } from './egress.ts';
import { readHost } from './host-name.ts';
import { addressesOf, type Guard } from './look-up.ts';

export interface Dialled extends Target {
  readonly protocol: 'http:' | 'https:';
  /** Where the connection may lead; never empty. */
  readonly addresses: readonly string[];
}

/** Connects to one of the addresses, with TLS for the host where the protocol has it. */
export type Dial = (to: Dialled) => Promise<Socket>;

const CONNECT_TIMEOUT_MS = 10_000;

export const dial: Dial = ({ host, port, protocol, addresses }) => {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookup: LookupFunction = (_, { all }, callback) => {
    const [first] = found;
    if (all === true || first === undefined) callback(null, found);
    else callback(null, first.address, first.family);
  };
  // Undici's type asks for a port here, though it takes that of each connection.
  const connect = buildConnector({ lookup, allowH2: false, timeout: CONNECT_TIMEOUT_MS, port });
  return new Promise((resolve, reject) => {
    connect({ hostname: host, host: isIPv6(host) ? `[${host}]` : host, protocol, port: String(port) }, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(error);
    });
  });
};

/** A connector for undici that lets no connection be made past the guard. */
export function guardedConnector(guard: Guard, dialTo: Dial): buildConnector.connector {
  const connect = async ({ hostname, port, protocol }: buildConnector.Options): Promise<Socket> => {
    const isTls = protocol === 'https:';
    const host = readHost(isIPv6(hostname) ? `[${hostname}]` : hostname);
    if (host === null) throw new TypeError('The host is none that can exist.');
    const target = { host, port: port === '' ? (isTls ? 443 : 80) : Number(port) };
    return dialTo({ ...target, protocol: isTls ? 'https:' : 'http:', addresses: await addressesOf(target, guard) });
  };
  const withCallback = callbackify(connect);
  return (options, callback) => {
    withCallback(options, (error, socket) => {
      if (error === null) callback(null, socket);
      else callback(error, null);
    });
  };
}
