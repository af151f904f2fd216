// Hosts as `WebFetch(domain:…)` names them: a leading `*.` stands for any number of labels, every other `*` stays in its label.
import { isIP } from 'node:net';
import { matchWildcard, parseWildcard, type Wildcard } from './wildcard.ts';

export interface DomainPattern {
  /** True after a leading `*.`, or for `*` alone. */
  readonly anyDepth: boolean;
  readonly labels: readonly Wildcard[];
}

/** Names that never lead to a public address. */
const PRIVATE_SUFFIX = /(^|\.)(localhost|internal|local|lan|home\.arpa|onion)$/;

/** @throws Error that says what to change */
export function parseDomain(text: string): DomainPattern {
  const host = text.toLowerCase().replace(/\.$/, '');
  if (!/^[^\s/:@?#\\]+$/.test(host)) throw new Error('write domain: and a host name alone, such as domain:example.com');
  const labels = host.split('.');
  const anyDepth = labels[0] === '*';
  return { anyDepth, labels: (anyDepth ? labels.slice(1) : labels).map(parseWildcard) };
}

/** @param host as {@link hostOf} gives it */
export function matchDomain({ anyDepth, labels }: DomainPattern, host: string): boolean {
  const given = host.split('.');
  const more = given.length - labels.length;
  if (anyDepth ? more < 1 : more !== 0) return false;
  return labels.every((label, index) => matchWildcard(label, given[index + more] ?? '') === 'yes');
}

/** The host that a URL leads to, in lower case and without a dot at its end; `null` when it is no URL of the web. */
export function hostOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return (protocol === 'http:' || protocol === 'https:') && host !== '' ? host : null;
}

/** Whether the name can be that of a public host. Which address it has is for whoever connects to check. */
export function isPublicName(host: string): boolean {
  return host.includes('.') && isIP(host) === 0 && !PRIVATE_SUFFIX.test(host);
}
