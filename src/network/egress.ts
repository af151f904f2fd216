// What an operator exempts from the block on private addresses: hosts, hosts with a port, addresses, networks.
import ipaddr from 'ipaddr.js';
import { isInNetwork, isMetadata, parseAddress, type Address, type Network } from './address.ts';
import { readHost, readPort, splitPort } from './host-name.ts';

/** Where a connection is to go. */
export interface Target {
  /** As {@link readHost} spells it. */
  readonly host: string;
  readonly port: number;
}

interface HostRule {
  readonly host: string;
  /** Absent: every port. */
  readonly port?: number;
}
interface NetworkRule {
  readonly network: Network;
  readonly port?: number;
}

export interface EgressRules {
  readonly hosts: readonly HostRule[];
  readonly networks: readonly NetworkRule[];
}

export const NO_EGRESS: EgressRules = { hosts: [], networks: [] };

/**
 * Reads entries `host`, `host:port`, an address, or a network such as `10.0.0.0/8`.
 * @throws Error that names the entry and says what to write
 */
export function parseEgress(entries: readonly string[]): EgressRules {
  const rules = entries.map(parseEntry);
  return {
    hosts: rules.filter((rule) => 'host' in rule),
    networks: rules.filter((rule) => 'network' in rule),
  };
}

function parseEntry(entry: string): HostRule | NetworkRule {
  if (entry.includes('://')) throw new Error(`${entry} is a URL: give its host alone, or host:port.`);
  if (entry.includes('/')) return { network: parseNetwork(entry) };
  const split = splitPort(entry);
  const host = readHost(split.host);
  if (host === null) throw new Error(`${entry} is no host: give a name such as git.example.com, without *, or an address.`);
  const port = split.port === undefined ? undefined : readPort(split.port);
  if (port === null) throw new Error(`${entry} has no port from 1 to 65535 behind the colon.`);
  const address = parseAddress(host);
  const where = address === null ? { host } : { network: [address, address instanceof ipaddr.IPv4 ? 32 : 128] as const };
  return port === undefined ? where : { ...where, port };
}

function parseNetwork(entry: string): Network {
  const [text = '', bits = ''] = entry.split('/');
  const address = parseAddress(text);
  if (address === null || !/^\d{1,3}$/.test(bits) || !ipaddr.isValidCIDR(entry)) {
    throw new Error(`${entry} is no network: give an address, a slash and a number of bits, such as 10.0.0.0/8.`);
  }
  if (address.toString() !== ipaddr.parse(text).toString()) {
    throw new Error(`${entry} is a network of IPv4 inside IPv6: give the IPv4 network.`);
  }
  const kind = address instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const first = kind.networkAddressFromCIDR(entry).toString();
  if (first !== address.toString())
    throw new Error(`${entry} names an address inside a network: give ${first}/${bits}, or the address alone.`);
  return [address, Number(bits)];
}

/** True when a rule names this host: its addresses are then the operator's own business. */
export function exemptsHost({ hosts }: EgressRules, target: Target): boolean {
  return hosts.some(({ host, port }) => host === target.host && (port ?? target.port) === target.port);
}

/** True when a rule opens this address. One that tells a machine its credentials is opened by name alone, never by a network around it. */
export function exemptsAddress({ networks }: EgressRules, address: Address, port: number): boolean {
  return networks.some((rule) => {
    const isExact = rule.network[1] === (address instanceof ipaddr.IPv4 ? 32 : 128);
    return (rule.port ?? port) === port && isInNetwork(address, rule.network) && (isExact || !isMetadata(address));
  });
}
