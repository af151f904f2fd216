// Ports with nobody behind them.
import type { Approvals, ClientCalls, Hooks, People, ToolIndex } from '../../src/contract/index.ts';

/** Where there is no client. */
export const NO_CLIENT: ClientCalls = {
  open: () => ({ answer: Promise.resolve({ content: 'There is no client here that could run this call.', isError: true }), told: true }),
  withdraw: () => {},
};

/** Where there is nobody. */
export const NO_PEOPLE: People = {
  approve: () => Promise.resolve({ behavior: 'deny', by: 'settings' }),
  callClient: () => Promise.resolve({ content: 'There is no client here that could run this call.', isError: true }),
};

/** Where there is nothing to find. */
export const NO_TOOLS: ToolIndex = { search: () => Promise.resolve({ matches: [], deferredCount: 0, notes: [] }) };

/** Where there are no hooks. */
export const NO_HOOKS: Hooks = {
  listens: () => false,
  run: () => Promise.resolve({ additionalContext: [], notes: [] }),
};

/** Where nobody can be asked. */
export const NO_APPROVALS: Approvals = { ask: () => null, withdraw: () => {} };
