// The ways out that come from sessions: the guarded fetch for their URLs, and a proxy for the sandbox of those with allowed domains.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { late, messageOf, Problem } from '../contract/index.ts';
import { parseDomains } from '../network/domain-list.ts';
import type { DomainProxy, DomainProxyOptions } from '../network/domain-proxy.ts';
import type { EgressRules } from '../network/egress.ts';
import type { GuardedFetch, GuardedFetchOptions } from '../network/guarded-fetch.ts';
import type { SandboxNetwork } from '../sandbox/enclosure/sandbox-profile.ts';
import type { SessionAbout } from '../sessions/session-parts.ts';
import type { SessionSettings } from '../sessions/settings/session-options.ts';

/** Sessions whose proxies are kept ready; one that was not used for longest makes room. */
const MAX_PROXIES = 500;

export interface Network {
  readonly guardedFetch: GuardedFetch['fetch'];
  /** @throws Problem `invalid-request` for what is no domain */
  readonly check: (settings: SessionSettings) => void;
  readonly networkFor: (settings: SessionSettings, session: SessionAbout) => Promise<SandboxNetwork>;
  /** The session is gone. */
  readonly forget: (sessionId: string) => void;
  readonly close: () => Promise<void>;
}

/** @param egress what the operator exempts from the block on private addresses */
export async function joinNetwork(egress: EgressRules): Promise<Network> {
  const guarded = late(
    () => openGuardedFetch({ egress }),
    (opened) => opened.close(),
  );
  // A socket's path must be short, so it does not lie in the data directory.
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-'));
  const closing = new Set<Promise<void>>();
  const close = (proxy: Promise<DomainProxy>): void => {
    const closed = proxy.then((open) => open.close()).catch(() => {});
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  };
  const proxies = new LRUCache<string, Promise<DomainProxy>>({ max: MAX_PROXIES, dispose: close });
  let started = 0;
  return {
    guardedFetch: async (url, request) => (await guarded.get()).fetch(url, request),
    check({ sandbox }) {
      try {
        parseDomains(sandbox.network.allowed_domains);
      } catch (error) {
        const message = messageOf(error);
        throw new Problem('invalid-request', message, { issues: [{ path: 'sandbox.network.allowed_domains', message }] });
      }
    },
    async networkFor({ sandbox }, { id }) {
      const domains = parseDomains(sandbox.network.allowed_domains);
      if (domains.length === 0) return { kind: 'none' };
      let proxy = proxies.get(id);
      if (proxy === undefined) {
        proxy = openProxy({ socketPath: join(directory, `${started++}.sock`), domains, egress });
        proxy.catch(() => proxies.delete(id));
        proxies.set(id, proxy);
      }
      return { kind: 'proxy', socketPath: (await proxy).socketPath };
    },
    forget: (sessionId) => void proxies.delete(sessionId),
    async close() {
      proxies.clear();
      await Promise.all([guarded.close(), ...closing]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Loaded, with the client for HTTP, when something asks for an address. */
async function openGuardedFetch(options: GuardedFetchOptions): Promise<GuardedFetch> {
  const { createGuardedFetch } = await import('../network/guarded-fetch.ts');
  return createGuardedFetch(options);
}

async function openProxy(options: DomainProxyOptions): Promise<DomainProxy> {
  const { startDomainProxy } = await import('../network/domain-proxy.ts');
  return startDomainProxy(options);
}
