// One spelling for each host, so that who checks it and who looks it up mean the same.

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** What separates a host from other parts of a URL, or hides some. */
const NOT_IN_HOST = /[\s/\\?#@%\p{Cc}]/u;

/**
 * Reads a host as the URL standard does: lower case, punycode, IPv4 in four parts, IPv6 without brackets, no dot at the end.
 * @param text without a port; IPv6 in brackets
 * @returns `null` when it is no host
 */
export function readHost(text: string): string | null {
  if (text === '' || NOT_IN_HOST.test(text)) return null;
  const url = URL.parse(`http://${text}`);
  return url === null || url.port !== '' || /:\d*$/.test(text) ? null : cleanHost(url.hostname);
}

/** As {@link readHost}, from the `hostname` of a URL. */
export function cleanHost(hostname: string): string | null {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  const host = hostname.replace(/\.$/, '');
  return host.length <= 253 && host.split('.').every((label) => LABEL.test(label)) ? host : null;
}

/** @returns the port, from 1 to 65535; `null` for all else */
export function readPort(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}

/** Splits `host` or `host:port`, where an IPv6 address may come without brackets when no port follows. */
export function splitPort(text: string): { readonly host: string; readonly port?: string } {
  if (/^[^[\]]*:[^[\]]*:/.test(text)) return { host: `[${text}]` };
  const [, host = text, port] = /^(.*?)(?::([^:\]]*))?$/.exec(text) ?? [];
  return port === undefined ? { host } : { host, port };
}
