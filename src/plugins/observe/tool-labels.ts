// Labels of metrics are names that exist: what models and clients make up must not grow series without end.
import type { Outcome, Tool } from '../../contract/index.ts';

/** Names of tools from outside that one metric may tell apart. */
const MAX_LABELS = 500;

/** How a call may end before anybody has looked whether there is such a tool. */
const TELLS_NOTHING: ReadonlySet<Outcome | null> = new Set([
  'unknown_tool',
  'aborted',
  'cancelled_sibling',
  'discarded',
  'outcome_unknown',
  null,
]);

/** @param tools the service's own: those of others are told together, as a client can make up any number */
export function toolLabels(tools: readonly Pick<Tool, 'name' | 'aliases'>[]): (call: { name: string; outcome: Outcome | null }) => string {
  const own = new Map(tools.flatMap(({ name, aliases }) => [name, ...aliases].map((word) => [word, name])));
  return ({ name, outcome }) => {
    const known = own.get(name);
    if (known !== undefined) return known;
    if (TELLS_NOTHING.has(outcome)) return 'unknown';
    return name.startsWith('mcp__') ? 'mcp' : 'custom';
  };
}

/** The first names as they are, and one label for all that come after. */
export function boundedLabels(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < MAX_LABELS) known.add(name);
    return known.has(name) ? name : 'other';
  };
}
