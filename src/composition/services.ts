// What the calls of a session may use beside files and commands.
import { messageOf } from '../contract/index.ts';
import type { OutsideServices } from '../sessions/session-parts.ts';

const nothing = (): never => {
  throw new Error(messageOf('This service has nothing of the kind.'));
};

export function joinServices(): () => OutsideServices {
  return () => ({
    web: { fetch: nothing, search: nothing },
    model: { available: false, ask: nothing },
    agents: { types: [], run: nothing },
    teams: { create: nothing, get: () => undefined, list: () => [], join: nothing, remove: nothing, send: nothing, take: () => [] },
    languageServers: { ask: nothing },
    runSchedule() {},
    busy: false,
    close: () => Promise.resolve(),
  });
}
