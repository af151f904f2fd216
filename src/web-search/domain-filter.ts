import type { WebQuery } from '../contract/index.ts';

/** Domains as they are compared: as URLs spell their hosts, without a `*.` in front. What is no name of a host is left out. */
export function readDomains(domains: readonly string[]): string[] {
  return domains.flatMap((domain) => {
    const host = URL.parse(`http://${domain.trim().replace(/^\*\./, '')}`)?.hostname.replace(/\.$/, '');
    return host === undefined || host === '' ? [] : [host];
  });
}

/** Whether a result from this host may be shown. */
export function isWanted(host: string, { allowedDomains, blockedDomains }: Pick<WebQuery, 'allowedDomains' | 'blockedDomains'>): boolean {
  const isOf = (domain: string): boolean => host === domain || host.endsWith(`.${domain}`);
  return (allowedDomains.length === 0 || allowedDomains.some(isOf)) && !blockedDomains.some(isOf);
}
