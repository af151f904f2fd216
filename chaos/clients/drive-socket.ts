// A message run over a WebSocket: as one frame, or a call at a time while the model still writes. A socket that closes is opened
// again after the last event that came, and what of the message is not known there is sent again.
import { setTimeout as wait } from 'node:timers/promises';
import type { ApprovalSummary, LoggedEvent } from '../../src/contract/index.ts';
import { answerOf, hasEnded, hearEvent, isDone, messageOf, type DrivenTurn } from './driven-turn.ts';
import { openFrames, type Frames } from './frames.ts';
import { readStream, type ConnectionEvent, type Stream } from './reader.ts';

const PAUSE_MS = { cut: 300, later: 1_000, written: 40 };
/** Close codes that say to come back. Others, but for those of a cut, are wrong. */
const COME_BACK = [1001, 1013];
const CUT = [1005, 1006];
/** What is said of a frame that came at a bad moment. */
const LATER = ['draining', 'session-elsewhere', 'store-unavailable', 'turn-queue-full', 'overloaded'];
/** What a frame is told that was sent again although it had come. */
const KNOWN = ['duplicate-tool-use-id', 'tool-use-id-reused', 'approval-not-found', 'approval-already-resolved', 'turn-not-found'];

export type Manner = 'message' | 'calls';

interface Talk {
  readonly driven: DrivenTurn;
  readonly frames: Frames;
  readonly manner: Manner;
  /** Ids of calls that the service has said to have. */
  readonly known: Set<string>;
  /** The open turn that they are in, where one was shown. */
  openTurn: string | undefined;
  /** Number up to which the log is replayed first. */
  replayTo: number;
  sending: Promise<void> | undefined;
}

/** @throws Error when the run is over */
export async function driveSocket(driven: DrivenTurn, manner: Manner): Promise<void> {
  const { client } = driven;
  const { http, ledger, plan, path } = client;
  const stream = readStream(client, { after: Math.max(0, ...client.seen.keys()), whole: true });
  for (;;) {
    http.signal.throwIfAborted();
    let code = CUT[1] as number;
    try {
      const frames = await openFrames(`${http.url.replace('http', 'ws')}${path}/stream?after=${stream.last}`, http.signal);
      const talk: Talk = {
        driven,
        frames,
        manner,
        known: new Set(driven.heard),
        openTurn: undefined,
        replayTo: Infinity,
        sending: undefined,
      };
      if (await converse(talk, stream)) return;
      ({ code } = frames);
    } catch (error) {
      http.signal.throwIfAborted();
      if (error instanceof SyntaxError) throw error;
      // It was not opened.
    }
    ledger.count('reconnects');
    if (!COME_BACK.includes(code) && !CUT.includes(code)) ledger.violate(plan.tag, `a socket was closed with ${code}`);
    await wait(CUT.includes(code) ? PAUSE_MS.cut : PAUSE_MS.later, undefined, { signal: http.signal });
  }
}

/** @returns whether the message has come to its end before the socket closed */
async function converse(talk: Talk, stream: Stream): Promise<boolean> {
  const { driven, frames } = talk;
  try {
    for await (const frame of frames) {
      if (frame.seq === undefined) hearConnection(talk, frame);
      else hear(talk, stream.take(frame));
      if (isDone(driven)) return true;
      if (stream.last < talk.replayTo) continue;
      // Also where its turn has ended without some of its calls, since their input was lost.
      talk.sending ??= send(talk);
      if (hasEnded(driven)) await resend(talk);
    }
    return false;
  } finally {
    frames.leave();
    await talk.sending;
  }
}

async function resend(talk: Talk): Promise<void> {
  await talk.sending;
  talk.openTurn = undefined;
  talk.sending = send(talk);
}

/** Sends what is not known yet. Never throws. */
async function send({ driven, frames, manner, known, openTurn }: Talk): Promise<void> {
  const { calls } = driven.plan;
  const missing = calls.filter(({ id }) => !known.has(id) && !driven.heard.has(id));
  if (driven.interrupted) return;
  if (manner === 'message') {
    if (missing.length > 0) frames.send({ type: 'message', message: messageOf(driven.plan), ref: 'message' });
    return;
  }
  for (const { id, name, input } of missing) {
    if (frames.closed.aborted || driven.interrupted) return;
    frames.send({ type: 'tool_use', id, name, input, ref: id });
    await wait(PAUSE_MS.written);
  }
  const named = missing.length === 0 && openTurn !== undefined;
  if (missing.length > 0 || named) frames.send({ type: 'end', ref: 'end', ...(named && { turn_id: openTurn }) });
}

function hear({ driven, frames }: Talk, event: LoggedEvent | undefined): void {
  if (event === undefined) return;
  hearEvent(driven, event);
  if (event.type === 'approval_requested') answer(driven, frames, event.approval);
}

function answer(driven: DrivenTurn, frames: Frames, approval: ApprovalSummary): void {
  frames.send({ type: 'approval', approval_id: approval.id, behavior: answerOf(driven, approval), ref: approval.id });
  driven.client.ledger.count('approvals answered');
}

interface Hello {
  readonly session: { readonly last_seq: number };
  readonly open_turns: readonly { readonly id: string; readonly calls: readonly { readonly tool_use_id: string }[] }[];
  readonly approvals: readonly ApprovalSummary[];
}

function hearConnection(talk: Talk, frame: ConnectionEvent): void {
  if (frame.type === 'error') hearError(talk, frame as unknown as FrameError);
  if (frame.type !== 'session') return;
  const { driven, frames, known } = talk;
  const { session, open_turns: turns, approvals } = frame as unknown as Hello;
  talk.replayTo = session.last_seq;
  for (const { id, calls } of turns) {
    if (!calls.some(({ tool_use_id: call }) => driven.plan.calls.some((planned) => planned.id === call))) continue;
    talk.openTurn = id;
    driven.turnIds.add(id);
    for (const { tool_use_id: call } of calls) known.add(call);
  }
  for (const approval of approvals) answer(driven, frames, approval);
}

interface FrameError {
  readonly problem: { readonly type: string };
  readonly ref?: string;
}

function hearError({ driven, frames, known }: Talk, { problem, ref }: FrameError): void {
  const { ledger, plan } = driven.client;
  const code = problem.type.replace('/problems/', '');
  ledger.count(`frames refused: ${code}`);
  if (LATER.includes(code)) frames.leave();
  else if (!KNOWN.includes(code)) ledger.violate(plan.tag, `a frame was refused with ${code}`, JSON.stringify(problem));
  else if (ref !== undefined) known.add(ref);
}
