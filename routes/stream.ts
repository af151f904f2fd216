// The socket: frames in, the session's log out. Anything wrong with a frame costs only that frame.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { Channel } from '../src/engine/channel.ts';
import { Problem } from '../src/contract/index.ts';
import { parseJson } from '../src/plugins/json-body.ts';
import { problemBody, toProblem } from '../src/plugins/problem-details.ts';
import type { SocketRegistry } from '../src/plugins/sockets.ts';
import { invalidOptions } from '../src/sessions/merge-settings.ts';
import type { Session } from '../src/sessions/session.ts';
import { SessionOptions } from '../src/sessions/session-options.ts';
import { StreamInput } from '../src/sessions/stream-input.ts';
import { handleFrame } from './stream-frames.ts';
import { SocketWriter } from './socket-writer.ts';

const SessionParams = z.object({ id: z.string().max(100) });
const StreamQuery = z.object({ after: z.coerce.number().int().min(0).optional() });
/** Frames that may wait to be handled before the socket is paused. */
const WAITING_FRAMES = 256;

export function streamRoutes(app: FastifyInstance): void {
  const { sessions, sockets } = app.services;

  app.get('/v1/sessions/:id/stream', { websocket: true, schema: { hide: true } }, async (socket, request) => {
    const frames = readFrames(socket);
    const session = await admit({ socket, request, sockets }, (owner) => {
      const { id } = SessionParams.parse(request.params);
      return sessions.get(owner, id);
    });
    if (session !== null) await serve({ app, socket, request, session, frames });
  });

  app.get('/v1/stream', { websocket: true, schema: { hide: true } }, async (socket, request) => {
    const frames = readFrames(socket);
    const session = await admit({ socket, request, sockets }, async (owner) => sessions.create(owner, await openingOptions(app, frames)));
    if (session !== null) await serve({ app, socket, request, session, frames });
  });
}

interface Served {
  readonly app: FastifyInstance;
  readonly socket: WebSocket;
  readonly request: FastifyRequest;
  readonly session: Session;
  readonly frames: Channel<string>;
}

interface Admission {
  readonly socket: WebSocket;
  readonly request: FastifyRequest;
  readonly sockets: SocketRegistry;
}

/** A browser cannot see why an upgrade was refused, so the socket is accepted and closed with a code that tells. */
async function admit({ socket, request, sockets }: Admission, find: (owner: string) => Promise<Session>): Promise<Session | null> {
  if (request.owner === null) {
    socket.close(4401, 'a valid key is needed');
    return null;
  }
  try {
    sockets.assertRoom(request.owner);
    return await find(request.owner);
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === 'internal') request.log.error({ err: error }, 'socket not served');
    new SocketWriter(socket, request.raw.socket).event({ type: 'error', problem: problemBody(problem, request.id) });
    socket.close(CLOSE_CODES[problem.code] ?? 1008, problem.message.slice(0, 100));
    return null;
  }
}

const CLOSE_CODES: Partial<Record<Problem['code'], number>> = {
  'session-not-found': 4404,
  'too-many-requests': 1013,
  'store-unavailable': 1013,
  draining: 1001,
  internal: 1011,
};

async function serve({ app, socket, request, session, frames }: Served): Promise<void> {
  const { limits } = app.services.config;
  const leave = new AbortController();
  const input = new StreamInput(session);
  const writer = new SocketWriter(socket, request.raw.socket);
  const release = app.services.sockets.add(session.owner, socket);
  socket.once('close', () => {
    leave.abort();
    frames.close();
    release();
  });
  if (socket.readyState !== socket.OPEN) leave.abort();
  const after = StreamQuery.safeParse(request.query).data?.after ?? session.log.lastSeq;
  writer.event(session.hello());
  try {
    await Promise.all([
      writer.pipe(session.log.read({ after, follow: true, signal: leave.signal })).then(() => sayGoodbye(app, socket)),
      (async () => {
        for await (const text of frames) await takeFrame(text, { writer, input, session, maxDepth: limits.json_depth });
      })(),
    ]);
  } catch (error) {
    request.log.error({ err: error }, 'socket failed');
    socket.close(1011, 'internal error');
  } finally {
    leave.abort();
    frames.close();
    input.dropped();
  }
}

/** The log has ended under an open socket: the service drains, or the session is gone. */
function sayGoodbye(app: FastifyInstance, socket: WebSocket): void {
  if (app.services.sessions.draining) socket.close(1001, 'the service is shutting down: reconnect with ?after=');
  else socket.close(4404, 'the session has ended');
}

interface Taking {
  readonly writer: SocketWriter;
  readonly input: StreamInput;
  readonly session: Session;
  readonly maxDepth: number;
}

async function takeFrame(text: string, { writer, input, session, maxDepth }: Taking): Promise<void> {
  let ref: unknown;
  try {
    const frame = parseJson(text, maxDepth);
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
      throw new Problem('invalid-request', 'A frame is a JSON object.');
    ref = (frame as { ref?: unknown }).ref;
    const answer = await handleFrame(frame as Record<string, unknown>, input, session);
    if (answer !== null) writer.event(answer);
    if (ref !== undefined) writer.event({ type: 'ack', ref });
  } catch (error) {
    writer.event({ type: 'error', problem: problemBody(toProblem(error)), ...(ref !== undefined && { ref }) });
  }
}

/** Frames from the first moment on; a client that sends faster than they are handled is made to wait. */
function readFrames(socket: WebSocket): Channel<string> {
  const frames = new Channel<string>({ highWater: WAITING_FRAMES, full: () => socket.pause(), drained: () => socket.resume() });
  socket.on('message', (data) => frames.push(toText(data)));
  socket.once('close', () => frames.close());
  socket.on('error', () => socket.terminate());
  return frames;
}

function toText(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return Buffer.from(data as Buffer).toString('utf8');
}

/** The first frame of a socket that makes its own session. @throws Problem `invalid-request` */
async function openingOptions(app: FastifyInstance, frames: Channel<string>) {
  const timer = setTimeout(() => frames.close(), app.services.config.limits.reconnect_ms);
  const first = await frames.next();
  clearTimeout(timer);
  if (first === undefined) throw new Problem('invalid-request', 'The first frame must be {"type":"open","session":{…}}.');
  const frame = parseJson(first, app.services.config.limits.json_depth) as { type?: unknown; session?: unknown } | null;
  if (frame?.type !== 'open') throw new Problem('invalid-request', 'The first frame must be {"type":"open","session":{…}}.');
  const options = SessionOptions.safeParse(frame.session ?? {});
  if (!options.success) throw invalidOptions(options.error);
  return options.data;
}
