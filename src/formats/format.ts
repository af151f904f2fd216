import type { FinishedCall, OutgoingMessage, ToolUse } from '../contract/index.ts';

/** What an assembler makes of the frames: `broken` means that no more calls of this message can be trusted to come. */
export type AssemblerOutput = { type: 'open' } | { type: 'call'; call: ToolUse } | { type: 'end' } | { type: 'broken'; reason: string };

/** Puts the calls of streamed messages together, one message after the other. */
export interface StreamAssembler {
  /** Takes one frame and gives what it completes; never throws, whatever the frame holds. */
  push(frame: Record<string, unknown>): AssemblerOutput[];
  /** True while a call has begun that is not complete; it is dropped when the input is lost. */
  hasPartial(): boolean;
}

/** One of the formats that models speak. */
export interface Format {
  /**
   * Reads the calls of one assistant message, or of a whole response of the model's API, in order. Inputs are left as the model sent them.
   * @throws Problem `invalid-request` (with the paths of all faults) or `duplicate-tool-use-id`.
   */
  readonly readCalls: (message: unknown) => ToolUse[];
  /** Makes what the caller appends to its conversation; no results, no messages. */
  readonly writeMessages: (results: readonly FinishedCall[]) => OutgoingMessage[];
  readonly createAssembler: () => StreamAssembler;
}
