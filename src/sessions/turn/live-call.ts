// Open turns as a reader sees them who has to redraw. Each socket is told of them first, so what a model sent is shown
// in full only where it is small: the whole stands in the log, and with its approval.
import type { ApprovalSummary, CallSummary, TurnSummary, View } from '../../contract/index.ts';
import { shortCopy, type ShortCopy } from '../log/short-copy.ts';
import { summarise, type RecordedCall, type TurnRecord } from './turn-record.ts';

/** Characters of JSON that one input or one view may have: as many as the largest difference that a tool draws. */
const ONE_CHARS = 24_000;
/** Characters of JSON that those of all calls may have together: past them little more than names is shown. */
const ALL_CHARS = 500_000;
const LEAST_CHARS = 100;

export interface LiveCall extends CallSummary {
  /** As the model sent it. */
  input: unknown;
  /** Set where `input` is a shortened copy: the whole is in the call's `call_queued` event. */
  input_shortened?: true;
  view: View;
}

export type LiveTurn = Omit<TurnSummary, 'calls'> & { calls: LiveCall[] };

export type LiveApproval = ApprovalSummary & {
  /** Set where `input` is a shortened copy: `GET …/approvals` has the whole. */
  input_shortened?: true;
};

/** @param records of turns that run or wait, oldest first */
export function liveTurns(records: readonly TurnRecord[]): LiveTurn[] {
  const room = { left: ALL_CHARS };
  return records.map((record) => {
    const turn = summarise(record);
    const recorded = [...record.calls.values()];
    return { ...turn, calls: turn.calls.map((call, index) => ({ ...call, ...drawing(recorded[index], room) })) };
  });
}

export function liveApprovals(approvals: readonly ApprovalSummary[]): LiveApproval[] {
  const room = { left: ALL_CHARS };
  return approvals.map((approval) => ({ ...approval, ...shownInput(approval.input, room) }));
}

function drawing(call: RecordedCall | undefined, room: { left: number }): Pick<LiveCall, 'input' | 'input_shortened' | 'view'> {
  // One that has not started has not been drawn yet.
  const view = call?.view ?? { title: call?.name ?? '' };
  return { ...shownInput(call?.input, room), view: shownView(view, room) };
}

function shownInput(input: unknown, room: { left: number }): Pick<LiveCall, 'input' | 'input_shortened'> {
  const { value, shortened } = shown(input, room);
  return { input: value, ...(shortened && { input_shortened: true }) };
}

/** A view that is too large loses its body: a cut one might not be drawn. */
function shownView(view: View, room: { left: number }): View {
  if (!shown(view, room).shortened) return view;
  const { body: _body, ...heading } = view;
  return shown(heading, room).value as View;
}

function shown(value: unknown, room: { left: number }): ShortCopy {
  const copy = shortCopy(value, Math.max(LEAST_CHARS, Math.min(ONE_CHARS, room.left)));
  room.left -= copy.chars;
  return copy;
}
