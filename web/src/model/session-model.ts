// What the console knows of a session: turns, their calls and what waits for people, folded from its events.
import type { Approval, ContentBlock, Decision, LoggedEvent, Outcome, Task, View } from './wire.ts';

/** Times are milliseconds since 1970, by the clock of the service. */
export interface Call {
  readonly id: string;
  readonly turnId: string;
  /** Place in its turn, from 0. */
  readonly index: number;
  readonly name: string;
  input: unknown;
  batch: number;
  concurrent: boolean;
  view?: View;
  effect?: string;
  decision?: Decision;
  coerced: readonly string[];
  readonly queuedAt: number;
  startedAt?: number;
  finishedAt?: number;
  /** When its result went out, in call order. */
  releasedAt?: number;
  outcome?: Outcome;
  /** Set when its outcome was unknown and somebody has settled it. */
  resolved?: string;
  /** Times in which it lay with people or with the client. */
  readonly waits: Wait[];
  content?: string | readonly ContentBlock[];
  resultView?: View;
  progressView?: View;
  /** The newest part of its output. */
  output: string;
}

export interface Wait {
  readonly on: 'approval' | 'client';
  readonly from: number;
  to?: number;
}

export interface Turn {
  readonly id: string;
  /** From 1, in the order of the session. */
  readonly number: number;
  readonly startedAt: number;
  endedAt?: number;
  status: string;
  stop?: string;
  readonly calls: Call[];
}

export interface PendingApproval {
  readonly approval: Approval;
  /** Absent while the turn's beginning is not known. */
  readonly turnId?: string;
}

export interface SessionModel {
  lastSeq: number;
  readonly turns: Turn[];
  readonly turnsById: Map<string, Turn>;
  /** By `turn/call`, since models may repeat ids from turn to turn. */
  readonly calls: Map<string, Call>;
  readonly approvals: Map<string, PendingApproval>;
  /** Calls that wait for this session's client. */
  readonly clientCalls: Set<Call>;
  readonly tasks: Map<string, Task>;
  /** The newest events of the log. */
  readonly log: LoggedEvent[];
  /** Events that came before the log of the console begins. */
  missing: number;
  /** What people know it by; known with the first frame. */
  name?: string;
  mode?: string;
  cwd?: string;
  todos: readonly Todo[];
  /** Time of the newest event. */
  now: number;
}

export interface Todo {
  readonly content: string;
  readonly status: string;
}

export function emptyModel(): SessionModel {
  return {
    lastSeq: 0,
    turns: [],
    turnsById: new Map(),
    calls: new Map(),
    approvals: new Map(),
    clientCalls: new Set(),
    tasks: new Map(),
    log: [],
    missing: 0,
    todos: [],
    now: 0,
  };
}

export function callKey(turnId: string, callId: string): string {
  return `${turnId}/${callId}`;
}

/** The batches of a turn as sizes, in order: `[3, 1, 3]`. */
export function batchSizes(turn: Turn): number[] {
  const sizes = new Map<number, number>();
  for (const { batch } of turn.calls) sizes.set(batch, (sizes.get(batch) ?? 0) + 1);
  return [...sizes.values()];
}

/** True while something may still happen in the turn. */
export function isOpen(turn: Turn): boolean {
  return turn.endedAt === undefined;
}
