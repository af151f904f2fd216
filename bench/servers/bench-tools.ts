// Tools that do nothing, or nothing but take time, so that what is measured is the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Tool } from '../../src/contract/index.ts';

const readOnly = { isConcurrencySafe: () => true, isReadOnly: () => true, effect: () => 'read' as const };

/** Gives back its text; other input is ballast. */
const echo = buildTool({
  ...readOnly,
  name: 'Echo',
  inputSchema: z.looseObject({ text: z.string().default('') }),
  description: () => 'Gives back its text.',
  call: ({ text }) => ({ content: text }),
});

/** Waits; answers `overlapped` when a write ran beside it, which must never be. */
function waitTool(): Tool {
  let running = 0;
  let writing = 0;
  return buildTool({
    name: 'Wait',
    inputSchema: z.strictObject({ ms: z.number(), safe: z.boolean(), reads: z.string().optional(), writes: z.string().optional() }),
    description: () => 'Waits.',
    isConcurrencySafe: ({ safe }) => safe,
    isReadOnly: ({ safe }) => safe,
    effect: ({ safe }) => (safe ? 'read' : 'once'),
    footprint: ({ reads, writes }) =>
      reads === undefined && writes === undefined
        ? 'everything'
        : { ...(reads && { reads: [reads] }), ...(writes && { writes: [writes] }) },
    async call({ ms, safe }, { signal }) {
      const overlapped = writing > 0 || (!safe && running > 0);
      running += 1;
      writing += safe ? 0 : 1;
      const startMs = performance.now();
      try {
        await sleep(ms, undefined, { signal });
      } finally {
        running -= 1;
        writing -= safe ? 0 : 1;
      }
      return { content: overlapped ? 'overlapped' : `waited ${(performance.now() - startMs).toFixed(2)}` };
    },
  });
}

export function benchTools(): Tool[] {
  return [echo, waitTool()];
}
