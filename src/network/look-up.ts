// From a name to addresses that were all checked. Whoever connects uses these, and looks nothing up again.
import { lookup as lookUpInSystem, Resolver } from 'node:dns/promises';
import { isPublicAddress, parseAddress } from './address.ts';
import { refuseTarget } from './check-url.ts';
import { exemptsAddress, exemptsHost, type EgressRules, type Target } from './egress.ts';
import { FetchError } from './fetch-error.ts';

/**
 * Gives the addresses of a name; none when it has none.
 * @param isExempt an operator's rule names the host
 * @throws Error when that could not be found out
 */
export type LookUp = (host: string, isExempt: boolean) => Promise<readonly string[]>;

/** What decides where a connection may go. */
export interface Guard {
  readonly egress: EgressRules;
  readonly lookUp: LookUp;
}

const TIMEOUT = { timeout: 3_000, tries: 2 };

/**
 * Asks the DNS alone for hosts that sessions name: no file of hosts, no search domains, and none of the threads that file access
 * needs. An operator's hosts are found as every program on the machine finds them.
 * @param servers addresses with ports; those of the machine when absent
 */
export function createLookUp(servers?: readonly string[]): LookUp {
  return async (host, isExempt) => {
    if (isExempt) return (await lookUpInSystem(host, { all: true })).map(({ address }) => address);
    const resolver = new Resolver(TIMEOUT);
    if (servers !== undefined) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find((answer) => answer.status === 'rejected' && !saysNone(answer.reason));
    if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason;
    return addresses;
  };
}

function saysNone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
}

/**
 * The addresses of a target, every one of them open. That a name does not exist and that it leads to a private address is told
 * in the same words, so that nobody can ask which names a private network has.
 * @throws FetchError `blocked`, or `network` when the look-up failed
 */
export async function addressesOf(target: Target, { egress, lookUp: ask }: Guard): Promise<readonly string[]> {
  const refusal = refuseTarget(target, egress);
  if (refusal !== null) throw new FetchError('blocked', refusal);
  const { host, port } = target;
  const isExempt = exemptsHost(egress, target);
  const addresses = parseAddress(host) === null ? await askFor(host, isExempt, ask) : [host];
  const isOpen = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== null && (isExempt || isPublicAddress(text) || exemptsAddress(egress, address, port));
  };
  if (addresses.length > 0 && addresses.every(isOpen)) return addresses;
  throw new FetchError('blocked', `${host} does not exist, or has an address that is not public.`);
}

async function askFor(host: string, isExempt: boolean, ask: LookUp): Promise<readonly string[]> {
  try {
    return await ask(host, isExempt);
  } catch (error) {
    if (saysNone(error)) return [];
    throw new FetchError('network', `The name ${host} could not be looked up just now. Try again later.`, error);
  }
}
