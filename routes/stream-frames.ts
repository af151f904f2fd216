// Client frames, handled one by one. A frame of a model's stream passes to the assembler; the others are named in the
// contract.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import type { Channel } from '../src/engine/release/channel.ts';
import { inputFromArguments } from '../src/formats/call-input.ts';
import { checkForm } from '../src/formats/schema-issues.ts';
import { parseJson } from '../src/plugins/json-body.ts';
import { problemBody, toProblem } from '../src/plugins/problem-details.ts';
import { ClientFrames, isClientFrameType, type ClientFrame } from '../src/sessions/input/client-frames.ts';
import type { Session } from '../src/sessions/session.ts';
import { SessionOptions, type SessionSettings } from '../src/sessions/settings/session-options.ts';
import type { StreamInput } from '../src/sessions/input/stream-input.ts';
import type { Submission } from '../src/sessions/input/submit.ts';
import type { SocketWriter } from './socket-writer.ts';
import { answerApprovals } from '../src/sessions/people/answer-approvals.ts';
import { answerClientCall } from '../src/sessions/people/answer-client-call.ts';
import { moveToBackground } from '../src/sessions/tasks/task-of-call.ts';
import { approvalReply } from './approvals.ts';
import type { ClientCallGate } from './client-call-gate.ts';
import { lastEvent } from './submissions.ts';

type Frame = Record<string, unknown>;
type Answer = { type: string; [key: string]: unknown };

export interface FrameTaker {
  readonly writer: SocketWriter;
  readonly input: StreamInput;
  readonly session: Session;
  readonly gate: ClientCallGate;
  readonly request: FastifyRequest;
  readonly maxDepth: number;
}

/** Handles one frame and answers it. @returns false when the client has gone or does not read */
export async function takeFrame(text: string, taker: FrameTaker): Promise<boolean> {
  const { writer, input, session, request, maxDepth } = taker;
  let ref: unknown;
  // Even a frame that is wrong shows that the client is there.
  input.touch();
  try {
    const frame = parseFrame(text, maxDepth);
    ({ ref } = frame);
    assertInScope(frame, request);
    const answer = await handleFrame(frame, taker);
    if (answer !== null && !(await writer.send(answer))) return false;
    return ref === undefined || (await writer.send({ type: 'ack', ref }));
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === 'internal') request.log.error({ err: error, session_id: session.id }, 'frame failed');
    return writer.send({ type: 'error', problem: problemBody(problem, request.id), ...(ref !== undefined && { ref }) });
  }
}

export interface Opening {
  readonly app: FastifyInstance;
  readonly frames: Channel<string>;
  /** Set to that of the first frame. */
  ref?: unknown;
}

/** Options in the first frame of a socket that makes its own session. @throws Problem `invalid-request` */
export async function openingOptions(opening: Opening): Promise<SessionSettings> {
  const { limits } = opening.app.services.config;
  const timer = setTimeout(() => opening.frames.close(), limits.open_frame_ms);
  const first = await opening.frames.next();
  clearTimeout(timer);
  const frame: Frame = first === undefined ? {} : parseFrame(first, limits.json_depth);
  if (frame['ref'] !== undefined) opening.ref = frame['ref'];
  if (frame['type'] !== 'open') throw new Problem('invalid-request', 'The first frame must be {"type":"open","session":{…}}.');
  const options = checkForm(SessionOptions, frame['session'] ?? {}, 'The session options are');
  if ('error' in options) throw options.error;
  return options.value;
}

/** @throws Problem `invalid-request` */
function parseFrame(text: string, maxDepth: number): Frame {
  const frame = parseJson(text, maxDepth);
  if (typeof frame === 'object' && frame !== null && !Array.isArray(frame)) return frame as Frame;
  throw new Problem('invalid-request', 'A frame is a JSON object.');
}

/** Whoever may only look on has nothing to say but that it is there. @throws Problem `forbidden` */
function assertInScope({ type }: Frame, { scope }: FastifyRequest): void {
  if (scope === 'watch' && type !== 'ping')
    throw new Problem('forbidden', 'This socket came with a ticket to watch: it may send ping alone.');
}

/** @returns a frame for this socket alone, or `null`. @throws Problem */
async function handleFrame(frame: Frame, taker: FrameTaker): Promise<Answer | null> {
  const { type } = frame;
  if (isClientFrameType(type)) return clientFrame(parseClientFrame(type, frame), taker);
  if (type === 'open') throw new Problem('invalid-request', 'The session is open already: send calls or messages.');
  const { input } = taker;
  const format = input.formatOf(frame);
  if (format === null) {
    const named = typeof type === 'string' ? `Frames of type ${JSON.stringify(type.slice(0, 80))} are` : 'A frame without a type is';
    throw new Problem('invalid-request', `${named} not known.`);
  }
  await input.modelFrame(frame, format);
  return null;
}

function parseClientFrame(type: keyof typeof ClientFrames, frame: Frame): ClientFrame {
  // A model's whole message may be sent as it is: it then is its own frame.
  const whole = type === 'message' && frame['message'] === undefined ? { type, message: frame } : frame;
  const parsed = checkForm(ClientFrames[type] as z.ZodType<ClientFrame>, whole, `The ${type} frame is`);
  if ('error' in parsed) throw parsed.error;
  return parsed.value;
}

async function clientFrame(frame: ClientFrame, { input, session, gate }: FrameTaker): Promise<Answer | null> {
  switch (frame.type) {
    case 'tool_use':
      await input.toolUse({ id: frame.id, name: frame.name, ...inputFromArguments(frame.input) });
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
    case 'background':
      moveToBackground(session, { toolUseId: frame.tool_use_id });
      return null;
    case 'ping':
      return { type: 'pong' };
    case 'approval':
      await answerApprovals(session, [approvalReply(frame.approval_id, frame)]);
      return null;
    case 'client_result':
      await answerClientCall(session, { toolUseId: frame.tool_use_id, content: frame.content, isError: frame.is_error });
      return null;
    case 'client_progress':
      session.clientCalls.progress(frame.tool_use_id, { kind: 'client', data: frame.data });
      return null;
    case 'subscribe':
      gate.subscribe(frame.client_tools);
      return null;
  }
}

function cancel(session: Session, toolUseId: string): void {
  const turn = session.turns.open.findLast((open) => open.has(toolUseId));
  if (turn === undefined) throw new Problem('call-not-found', `No unfinished turn has a call ${JSON.stringify(toolUseId)}.`);
  turn.cancel(toolUseId);
}

/** A message that was run before is not in what this socket will read: it gets the recorded end of its turn again. */
function recorded(session: Session, submission: Submission) {
  return submission.kind === 'live' ? null : lastEvent(session.id, submission.reply);
}
