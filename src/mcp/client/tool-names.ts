// What tools of servers are called here: `mcp__<server>__<tool>`, in the characters and the length that models take.
import { createHash } from 'node:crypto';

const MAX_LENGTH = 64;
const DIGEST_LENGTH = 8;

/** The part that the names of all tools of a server begin with. */
export function prefixOf(server: string): string {
  return `mcp__${server}__`;
}

/**
 * @param names those of one server's tools, as it gives them
 * @returns name there → name here. Those that would be too long, or the same as another's, end in a digest of their own.
 */
export function nameTools(server: string, names: readonly string[]): Map<string, string> {
  const plain = new Map([...new Set(names)].map((name) => [name, prefixOf(server) + name.replace(/[^a-zA-Z0-9_-]/g, '_')]));
  const wanting = Map.groupBy(plain, ([, here]) => here);
  const isFree = (name: string, here: string): boolean =>
    here.length <= MAX_LENGTH && (here === prefixOf(server) + name || wanting.get(here)?.length === 1);
  return new Map([...plain].map(([name, here]) => [name, isFree(name, here) ? here : withDigest(here, name)]));
}

function withDigest(here: string, name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH);
  return `${here.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}_${digest}`;
}
