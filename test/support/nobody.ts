// Ports with nobody behind them.
import type {
  Approvals,
  CallContext,
  ClientCalls,
  Hooks,
  People,
  ToolIndex,
  ToolServices,
  WorkspaceTree,
} from '../../src/contract/index.ts';

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

const nothing = (): never => {
  throw new Error('There is nothing of the kind here.');
};

/** Where there is nothing beside files and commands. */
export const NO_SERVICES: Omit<ToolServices, 'files' | 'commands' | 'toolIndex'> = {
  tasks: { start: nothing, get: () => undefined, list: () => [], read: nothing, outputFile: nothing, ended: nothing, stop: nothing },
  web: { fetch: nothing, search: nothing },
  model: { available: false, ask: nothing },
  agents: { types: [], run: nothing },
  teams: { create: nothing, get: () => undefined, list: () => [], join: nothing, remove: nothing, send: nothing },
  skills: { list: () => [], load: nothing },
  languageServers: { ask: nothing },
  controls: { get: nothing, set: nothing },
};

/** Where nobody wants a call to go on in the background. */
export const NO_BACKGROUND: CallContext['backgroundRequest'] = () => new AbortController().signal;

/** Where there is no workspace to look into. */
export const NO_TREE: WorkspaceTree = {
  look: nothing,
  list: nothing,
  open: nothing,
  put: nothing,
  remove: nothing,
  pack: nothing,
  unpack: nothing,
};
