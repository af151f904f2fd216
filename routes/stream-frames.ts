// One client frame, handled. A frame of a model's stream passes to the assembler; the others are named in the contract.
import { Problem, type ToolUse } from '../src/contract/index.ts';
import { ClientFrames, isClientFrameType, type ClientFrame } from '../src/sessions/client-frames.ts';
import type { Session } from '../src/sessions/session.ts';
import type { StreamInput } from '../src/sessions/stream-input.ts';
import type { Submission } from '../src/sessions/submit.ts';

type Answer = { type: string; [key: string]: unknown };

/** @returns a frame for this socket alone, or `null`. @throws Problem */
export async function handleFrame(frame: Record<string, unknown>, input: StreamInput, session: Session): Promise<Answer | null> {
  const { type } = frame;
  if (isClientFrameType(type)) return clientFrame(parseClientFrame(type, frame), input, session);
  if (!input.takesModelFrame(frame)) {
    const named = typeof type === 'string' ? `Frames of type ${JSON.stringify(type.slice(0, 80))} are` : 'A frame without a type is';
    throw new Problem('invalid-request', `${named} not known.`);
  }
  await input.modelFrame(frame);
  return null;
}

function parseClientFrame(type: keyof typeof ClientFrames, frame: Record<string, unknown>): ClientFrame {
  // A model's whole message may be sent as it is: it then is its own frame.
  const whole = type === 'message' && frame['message'] === undefined ? { type, message: frame } : frame;
  const parsed = ClientFrames[type].safeParse(whole);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new Problem('invalid-request', `The ${type} frame is not of the expected form; see errors.`, { issues });
}

async function clientFrame(frame: ClientFrame, input: StreamInput, session: Session): Promise<Answer | null> {
  switch (frame.type) {
    case 'tool_use':
      await input.toolUse({ id: frame.id, name: frame.name, input: frame.input ?? {} } satisfies ToolUse);
      return null;
    case 'message':
      return recorded(session, await input.message(frame));
    case 'end':
      input.end(frame.turn_id);
      return null;
    case 'abort':
      input.abort(frame.turn_id, frame.reason);
      return null;
    case 'discard':
      input.discard(frame.turn_id);
      return null;
    case 'cancel':
      cancel(session, frame.tool_use_id);
      return null;
    case 'ping':
      input.touch();
      return { type: 'pong' };
    case 'approval':
      throw new Problem('approval-not-found', `No approval ${frame.approval_id} is waiting.`);
    case 'client_result':
    case 'client_progress':
      throw new Problem('call-not-found', `No client call ${JSON.stringify(frame.tool_use_id)} is waiting.`);
    case 'subscribe':
      throw new Problem('invalid-request', 'The session has no client tools.');
  }
}

function cancel(session: Session, toolUseId: string): void {
  const turn = session.openTurns.findLast((open) => open.has(toolUseId));
  if (turn === undefined) throw new Problem('call-not-found', `No unfinished turn has a call ${JSON.stringify(toolUseId)}.`);
  turn.control.cancel(toolUseId, 'This call was cancelled by the user.');
}

/** A message that was run before is not in what this socket will read: it gets the recorded end of its turn again. */
function recorded(session: Session, submission: Submission) {
  if (submission.kind === 'live') return null;
  const { turn, messages } = submission.reply;
  const head = { seq: turn.last_seq, time: new Date().toISOString(), session_id: session.id, turn_id: turn.id };
  return turn.status === 'discarded' ? { type: 'turn_discarded', ...head, turn } : { type: 'turn_completed', ...head, messages, turn };
}
