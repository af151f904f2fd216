// Tools that say what a call of theirs does to the world, and do it when they end: for tests of what becomes of calls whose
// service stops.
import { z } from 'zod';
import { buildTool, type Effect, type Tool } from '../../src/contract/index.ts';

const EffectInput = z.strictObject({ text: z.string().default(''), hold: z.boolean().default(false) });

export interface Effects {
  /** Ids of calls that have begun, in order, once for each time. */
  readonly begun: string[];
  /** Ids of calls that have taken effect, likewise. */
  readonly done: string[];
}

export function newEffects(): Effects {
  return { begun: [], done: [] };
}

/**
 * Tools `Reads`, `Repeats`, `Probes` and `Once`, one an effect. A call with `hold` stands still until it is stopped.
 * @param holding false: none does
 */
export function effectTools(effects: Effects, holding = true): Tool[] {
  const names: Record<Effect, string> = { read: 'Reads', idempotent: 'Repeats', probe: 'Probes', once: 'Once' };
  return Object.entries(names).map(([effect, name]) =>
    buildTool({
      name,
      inputSchema: EffectInput,
      description: () => `A call of it is ${effect}.`,
      effect: () => effect as Effect,
      isReadOnly: () => effect === 'read',
      isConcurrencySafe: () => effect === 'read',
      probe: async (_input, { toolUseId }) =>
        effect === 'once' || effects.done.includes(toolUseId) ? { kind: 'unclear' } : { kind: 'not_applied' },
      async call({ text, hold }, { toolUseId, signal }) {
        effects.begun.push(toolUseId);
        if (hold && holding) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
        effects.done.push(toolUseId);
        return { content: `did ${text}` };
      },
    }),
  );
}
