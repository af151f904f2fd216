import type { Tool } from './tool.ts';

/** What a tool says that changes nothing, whatever its input: it runs beside others, and again after a crash. */
export const ONLY_READS = {
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  hints: { readOnly: true },
  effect: () => 'read',
} as const satisfies Partial<Tool>;
