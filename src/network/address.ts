// Which IP addresses belong to the public internet. Whatever is not known to belong there does not.
import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address with the number of its leading bits that count. */
export type Network = readonly [Address, number];

/** Where IPv6-only networks put the addresses of IPv4. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** All that is given out for use on the internet. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

/** Where clouds tell a machine its credentials: some of these lie in public space, others in networks that operators may open. */
const METADATA: ReadonlySet<string> = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
  ].map((text) => ipaddr.parse(text).toString()),
);

/**
 * Reads an address in its usual spelling, and gives the IPv4 address where one stands inside another (mapped, NAT64).
 * `null` for all else: octal and short forms, an IPv6 address with a zone.
 */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  // The library takes ::1.2.3.4 for a mapped address, so it gets IPv6 as URLs spell it: without dots.
  const address = ipaddr.process(isIPv6(text) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
  if (address instanceof ipaddr.IPv6 && address.match(NAT64)) return new ipaddr.IPv4(address.toByteArray().slice(-4));
  return address;
}

/** True for what {@link parseAddress} gives when it tells a machine its credentials. */
export function isMetadata(address: Address): boolean {
  return METADATA.has(address.toString());
}

/** True when a public address is reached by this text, and by no tunnel or translation to another. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === null || isMetadata(address)) return false;
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(GLOBAL));
}

export function isInNetwork(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match([network, bits]);
}
