// A registry of sessions on any store, with all else as plain as can be.
import type { TestContext } from 'node:test';
import { Problem, type Store, type ToolUse } from '../../src/contract/index.ts';
import { observers } from '../../src/plugins/observe/observers.ts';
import { SessionRegistry } from '../../src/sessions/registry/registry.ts';
import { SessionOptions } from '../../src/sessions/settings/session-options.ts';
import type { SessionParts } from '../../src/sessions/session-parts.ts';
import { submitMessage } from '../../src/sessions/input/submit.ts';
import { localLeases } from '../../src/store/local-leases.ts';
import { NO_HOOKS, NO_SERVICES, NO_TREE } from '../support/nobody.ts';
import { plainToolbox } from '../support/plain-toolbox.ts';
import { allowAll, engineOptions } from '../support/run-engine.ts';
import { newTrace, workTool } from '../support/test-tools.ts';

export interface Registry {
  readonly sessions: SessionRegistry;
  readonly parts: SessionParts;
  readonly reported: string[];
}

/** @param t absent for a service that is killed: it closes nothing */
export function registry(t: TestContext | null, store: Store, trace = newTrace(), policy = allowAll): Registry {
  const { services, outputs } = engineOptions([]);
  const toolbox = plainToolbox([workTool(trace)]);
  const reported: string[] = [];
  const parts: SessionParts = {
    store,
    leases: localLeases('node'),
    limits: {
      maxConcurrency: 10,
      graceMs: 50,
      bufferedEvents: 1000,
      queuedTurns: 16,
      callsPerTurn: 100,
      sessionsPerOwner: 100,
      tasksPerSession: 16,
      reconnectMs: 50,
      log: { events: 1000, turns: 100 },
    },
    observer: observers(() => {}),
    report: (what) => reported.push(what),
    guard() {},
    toolboxFor: () => toolbox,
    policyFor: () => policy,
    hooksFor: () => NO_HOOKS,
    sandboxState: () => ({ mode: 'external' }),
    commandsFor: () => services.commands,
    servicesFor: () => ({ ...NO_SERVICES, runSchedule: () => Promise.resolve(), busy: false, close: () => Promise.resolve() }),
    place: async ({ path, additionalDirs }) => {
      if (path === '/gone' || additionalDirs.includes('/gone')) throw new Problem('forbidden', 'The directory is gone.');
      return {
        workspace: path ?? '/w',
        ephemeral: path === undefined,
        files: services.files,
        history: { filesFor: (_turnId, files) => files, list: () => Promise.resolve([]), rewind: () => Promise.resolve(null) },
        outputs,
        home: '/w/home',
        temp: '/w/tmp',
        readableRoots: ['/w'],
        writableRoots: ['/w'],
        skills: services.skills,
        tree: NO_TREE,
      };
    },
    removePlace: async () => {},
  };
  const sessions = new SessionRegistry(parts);
  t?.after(() => sessions.drain(0));
  return { sessions, parts, reported };
}

export const options = SessionOptions.parse({ permissions: { mode: 'bypassPermissions' } });
export const work = (id: string, input: object = {}): ToolUse => ({ id, name: 'Work', input });

export async function settled(sessions: SessionRegistry, id: string, calls: ToolUse[]) {
  const submission = await submitMessage(await sessions.get('', id), 'anthropic', calls);
  return submission.kind === 'live' ? submission.turn.done : submission.reply;
}
