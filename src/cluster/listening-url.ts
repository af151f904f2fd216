import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

const EVERYWHERE = ['0.0.0.0', '::'];

/** Where others reach what listens here: on all addresses, the first that is not this machine's alone. */
export function listeningUrl({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = EVERYWHERE.includes(address) ? (outerAddress() ?? '127.0.0.1') : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** IPv4 where there is one: addresses of IPv6 may hold only together with an interface. */
function outerAddress(): string | undefined {
  const outer = Object.values(networkInterfaces()).flatMap((all) => all?.filter(({ internal }) => !internal) ?? []);
  return (outer.find(({ family }) => family === 'IPv4') ?? outer.find(({ scopeid }) => !scopeid))?.address;
}
