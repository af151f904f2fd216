// What can be said of a URL before anything is looked up.
import { isPublicAddress, parseAddress } from './address.ts';
import { exemptsAddress, exemptsHost, type EgressRules, type Target } from './egress.ts';
import { cleanHost } from './host-name.ts';

/** `invalid`: it is no URL of the web; `blocked`: it is one that may not be reached. The reason is a sentence for a model. */
export interface Refusal {
  readonly ok: false;
  readonly kind: 'invalid' | 'blocked';
  readonly reason: string;
}
export type UrlCheck = { readonly ok: true; readonly url: URL; readonly target: Target } | Refusal;

const MAX_URL_LENGTH = 8_192;
/** Names that never lead to a public address, or that stand for one machine's own. */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|internal|local|lan|home\.arpa|onion|svc)$/;
/** Ports of web servers. Others speak other protocols, which a request must not be able to imitate. */
const isWebPort = (port: number): boolean => port === 80 || port === 443 || (port >= 8000 && port <= 8999);

/** Whether a session may ask for this URL, as far as that can be known without a look-up; the URL is parsed here and nowhere again. */
export function checkUrl(text: string, egress: EgressRules): UrlCheck {
  const read = readWebUrl(text);
  if (!read.ok) return read;
  const refusal = refuseTarget(read.target, egress) ?? refusePort(read.target, egress);
  return refusal === null ? read : { ok: false, kind: 'blocked', reason: refusal };
}

/** Reads an absolute `http` or `https` URL without a user name, with its host in one spelling. */
export function readWebUrl(text: string): UrlCheck {
  if (text.length > MAX_URL_LENGTH) return invalid(`The URL is longer than ${MAX_URL_LENGTH} characters: shorten it.`);
  const url = URL.parse(text);
  if (url === null) return invalid('This is no absolute URL: give one such as https://example.com/page.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return blocked(`URLs of ${url.protocol.slice(0, 20)} cannot be reached: give one that begins with https:// or http://.`);
  }
  if (url.username !== '' || url.password !== '')
    return blocked('The URL holds a user name or password: leave out what stands before the @.');
  const host = cleanHost(url.hostname);
  if (host === null) return invalid('The host of the URL is no name that can exist: correct it.');
  if (!url.hostname.startsWith('[')) url.hostname = host;
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { ok: true, url, target: { host, port } };
}

/** Why this host may not be reached, whatever a look-up would say; `null` when that is open. */
export function refuseTarget(target: Target, egress: EgressRules): string | null {
  const { host, port } = target;
  if (exemptsHost(egress, target)) return null;
  const address = parseAddress(host);
  if (address !== null || host.includes(':')) {
    const isOpen = isPublicAddress(host) || (address !== null && exemptsAddress(egress, address, port));
    return isOpen ? null : `The address ${host} is not public, and only public ones can be reached.`;
  }
  if (!host.includes('.')) return `${host} is a name inside a network, and only public hosts can be reached: give the full name.`;
  return PRIVATE_NAME.test(host) ? `${host} is a name inside a network, and only public hosts can be reached.` : null;
}

function refusePort(target: Target, egress: EgressRules): string | null {
  const address = parseAddress(target.host);
  if (isWebPort(target.port) || exemptsHost(egress, target)) return null;
  if (address !== null && exemptsAddress(egress, address, target.port)) return null;
  return `Port ${target.port} cannot be reached: only 80, 443 and 8000 to 8999 can.`;
}

const invalid = (reason: string): Refusal => ({ ok: false, kind: 'invalid', reason });
const blocked = (reason: string): Refusal => ({ ok: false, kind: 'blocked', reason });
