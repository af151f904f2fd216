import type { Agents, Model } from '../contract/index.ts';

const missing = (): Promise<never> =>
  Promise.reject(new Error('This service has no model of its own: do without it, or tell the user that its operator can set one up.'));

/** Where no model is configured. */
export const NO_MODEL: Model = { available: false, ask: missing };
export const NO_AGENTS: Agents = { types: [], run: missing };
