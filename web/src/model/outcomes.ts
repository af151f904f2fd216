// How an outcome looks: never by colour alone, always with a sign and a word.
import type { Call } from './session-model.ts';

export interface Look {
  /** Also the name of the pattern of its bar. */
  readonly tone: 'ok' | 'error' | 'denied' | 'stopped' | 'unknown' | 'running' | 'waiting' | 'queued';
  readonly sign: string;
  readonly word: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  ok: { tone: 'ok', sign: '✓', word: 'ok' },
  tool_error: { tone: 'error', sign: '✕', word: 'error' },
  invalid_input: { tone: 'error', sign: '✕', word: 'invalid input' },
  unknown_tool: { tone: 'error', sign: '✕', word: 'unknown tool' },
  timed_out: { tone: 'error', sign: '⧖', word: 'timed out' },
  denied: { tone: 'denied', sign: '⊘', word: 'denied' },
  cancelled_sibling: { tone: 'stopped', sign: '−', word: 'stopped with a sibling' },
  aborted: { tone: 'stopped', sign: '■', word: 'aborted' },
  discarded: { tone: 'stopped', sign: '−', word: 'discarded' },
  outcome_unknown: { tone: 'unknown', sign: '?', word: 'outcome unknown' },
};
const RUNNING: Look = { tone: 'running', sign: '▸', word: 'running' };
const QUEUED: Look = { tone: 'queued', sign: '·', word: 'queued' };
const ASKED: Look = { tone: 'waiting', sign: '!', word: 'waits for approval' };
const WITH_CLIENT: Look = { tone: 'waiting', sign: '!', word: 'waits for the client' };

/** An outcome that is new to this page is told by its own name. */
export function lookOfOutcome(outcome: string): Look {
  return LOOKS[outcome] ?? { tone: 'unknown', sign: '?', word: outcome };
}

export function lookOf(call: Call): Look {
  if (call.outcome !== undefined) return lookOfOutcome(call.outcome);
  const wait = call.waits.find(({ to }) => to === undefined);
  if (wait !== undefined) return wait.on === 'approval' ? ASKED : WITH_CLIENT;
  return call.startedAt === undefined ? QUEUED : RUNNING;
}
