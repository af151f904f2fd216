// What one turn runs with.
import type { MessageFormat, OutputFiles, SessionFacts, SessionState, ToolServices } from '../contract/index.ts';
import type { Guards } from './call/call-case.ts';
import type { EarlierCall } from './entry.ts';
import type { Scheduling } from './schedule/footprint.ts';
import type { TurnControl } from './turn-control.ts';

export interface ExecutionLimits {
  /** Calls of a concurrent batch in flight at once. */
  readonly maxConcurrency: number;
  /** Milliseconds a stopped tool has before its call is closed without it. */
  readonly graceMs: number;
  /** Events that may wait for a slow consumer before new calls have to. */
  readonly bufferedEvents: number;
}

export interface ExecutionOptions {
  readonly turnId: string;
  readonly format: MessageFormat;
  readonly facts: SessionFacts;
  readonly state: SessionState;
  readonly guards: Guards;
  readonly services: ToolServices;
  readonly outputs: OutputFiles;
  readonly limits: ExecutionLimits;
  readonly schedule: Scheduling;
  readonly onToolError: 'cancel_siblings' | 'continue';
  readonly control: TurnControl;
  /** For the model, with the first result. */
  readonly notes?: readonly string[];
  /** Takes what hooks said after the last result, for the next turn. */
  readonly leftNotes?: (notes: readonly string[]) => void;
  /** Of a turn that goes on after an interruption: what is known of its calls. */
  readonly earlier?: ReadonlyMap<string, EarlierCall>;
}
