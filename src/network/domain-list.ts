// The hosts that a session's commands may reach: `example.com` is that host alone, `*.example.com` every host below it.
import { isIP } from 'node:net';
import type { Target } from './egress.ts';
import { readHost, readPort, splitPort } from './host-name.ts';

export interface AllowedDomain {
  readonly host: string;
  /** True for hosts below `host`, and not for `host` itself. */
  readonly isBelow: boolean;
  readonly ports: readonly number[];
}

const WEB_PORTS = [80, 443];

/**
 * Reads `example.com`, `*.example.com`, each also with a port, which then is the only one; without it 80 and 443 are meant.
 * @throws Error that names the entry and says what to write
 */
export function parseDomains(entries: readonly string[]): readonly AllowedDomain[] {
  return entries.map((entry) => {
    if (/[/@]/.test(entry)) throw new Error(`${entry} is no host: give its name alone, such as example.com.`);
    const isBelow = entry.startsWith('*.');
    const split = splitPort(isBelow ? entry.slice(2) : entry);
    const host = readHost(split.host);
    if (host === null) throw new Error(`${entry} is no host: give a name such as example.com, or *.example.com for all hosts below it.`);
    if (isBelow && (isIP(host) !== 0 || !host.includes('.'))) {
      throw new Error(`${entry} is too wide: name at least two parts behind the star, such as *.example.com.`);
    }
    const port = split.port === undefined ? undefined : readPort(split.port);
    if (port === null) throw new Error(`${entry} has no port from 1 to 65535 behind the colon.`);
    return { host, isBelow, ports: port === undefined ? WEB_PORTS : [port] };
  });
}

export function allowsTarget(domains: readonly AllowedDomain[], { host, port }: Target): boolean {
  return domains.some(
    (domain) =>
      domain.ports.includes(port) && (domain.isBelow ? isIP(host) === 0 && host.endsWith(`.${domain.host}`) : host === domain.host),
  );
}
