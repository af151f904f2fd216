// The socket: frames in, the session's log out. Anything wrong with a frame costs only that frame.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { Channel } from '../src/engine/release/channel.ts';
import { Problem } from '../src/contract/index.ts';
import type {} from '../src/plugins/nodes/any-node.ts';
import { problemBody, toProblem } from '../src/plugins/problem-details.ts';
import type { Session } from '../src/sessions/session.ts';
import { helloFrame } from '../src/sessions/registry/session-view.ts';
import { StreamInput } from '../src/sessions/input/stream-input.ts';
import { ClientCallGate } from './client-call-gate.ts';
import { assertInLog } from './events.ts';
import { SessionParams } from './schemas.ts';
import { openingOptions, takeFrame, type FrameTaker } from './stream-frames.ts';
import { SocketWriter } from './socket-writer.ts';

const After = z.coerce.number().int().min(0);
/** Frames that may wait to be handled before the socket is paused; a large one counts as one for each so many characters. */
const WAITING_FRAMES = 256;
const FRAME_CHARS = 4_096;
/** Frames handled before other clients have a turn. */
const FRAMES_A_TURN = 64;

export function streamRoutes(app: FastifyInstance): void {
  const { sessions } = app.services;
  // Pongs would pass by the limit on what waits for a client.
  app.websocketServer.options.autoPong = false;

  socketRoute(app, '/v1/sessions/:id/stream', async (client, owner) => {
    const { request } = client;
    const { id } = SessionParams.parse(request.params);
    return (await isServedElsewhere(client, id)) ? null : sessions.get(owner, id);
  });
  socketRoute(app, '/v1/stream', async (client, owner) => sessions.create(owner, await openingOptions(client)));
}

interface Client {
  readonly app: FastifyInstance;
  readonly socket: WebSocket;
  readonly request: FastifyRequest;
  readonly frames: Channel<string>;
  readonly writer: SocketWriter;
  /** Of the frame that opened the session, if one did. */
  ref?: unknown;
}

/** `null` when another node has served the client. */
type FindSession = (client: Client, owner: string) => Promise<Session | null>;

function socketRoute(app: FastifyInstance, url: string, find: FindSession): void {
  const { reader_patience_ms: patienceMs } = app.services.config.limits;
  app.route({
    method: 'GET',
    url,
    config: { ticket: true, socket: true },
    schema: { hide: true },
    handler: () => {
      throw new Problem('upgrade-required', 'This address speaks WebSocket: connect with the subprotocol toolexec.v1. See /asyncapi.yaml.');
    },
    wsHandler: async (socket, request) => {
      const writer = new SocketWriter({ socket, connection: request.raw.socket, patienceMs });
      const client: Client = { app, socket, request, writer, frames: readFrames(socket, writer) };
      const session = await admit(client, find);
      if (session !== null) await serve(client, session);
    },
  });
}

/** A browser cannot see why an upgrade was refused, so the socket is accepted and closed with a code that tells. */
async function admit(client: Client, find: FindSession): Promise<Session | null> {
  const { app, socket, request, writer } = client;
  if (request.owner === null) {
    refuse(client, 4401, 'a valid key is needed');
    return null;
  }
  try {
    app.services.sockets.admit(request.owner, socket);
    return await find(client, request.owner);
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === 'internal') request.log.error({ err: error }, 'socket not served');
    await writer.send(problemEvent(problem, request, client.ref));
    refuse(client, CLOSE_CODES[problem.code] ?? 1008, closeReason(problem));
    return null;
  }
}

/** True when another node works on the session: the client was served there, and has been closed. */
async function isServedElsewhere(client: Client, id: string): Promise<boolean> {
  const { app, socket, request, writer, frames } = client;
  if (app.anyNode === null) return false;
  const left = new AbortController();
  socket.once('close', () => left.abort());
  if (socket.readyState === socket.CLOSED) left.abort();
  return app.anyNode.serveSocket(request, id, {
    frames,
    send: (text) => writer.sendText(text),
    close: ({ code, reason }) => refuse(client, code, reason),
    left: left.signal,
  });
}

/** Milliseconds that a refused client has to close from its side. */
const REFUSED_MS = 1_000;

/** Nothing that a refused client still sends is kept. */
function refuse({ socket, frames }: Client, code: number, reason: string): void {
  frames.close();
  socket.removeAllListeners('message');
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), REFUSED_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** As much of the text as a close frame may hold: 123 bytes. */
function closeReason({ message }: Problem): string {
  return Buffer.from(message)
    .subarray(0, 120)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}

const CLOSE_CODES: Partial<Record<Problem['code'], number>> = {
  'session-not-found': 4404,
  'too-many-requests': 1013,
  'store-unavailable': 1013,
  'session-elsewhere': 1013,
  draining: 1001,
  internal: 1011,
};

async function serve(client: Client, session: Session): Promise<void> {
  const { app, socket, request, writer, frames } = client;
  const leave = new AbortController();
  const input = new StreamInput(session);
  const gate = new ClientCallGate(session, (items) => writer.sendItems(items));
  const taker: FrameTaker = { writer, input, session, gate, request, maxDepth: app.services.config.limits.json_depth };
  socket.once('close', () => leave.abort());
  if (socket.readyState === socket.CLOSED) leave.abort();
  try {
    const after = await greet(client, session);
    gate.startAfter(after);
    const events = session.log.read({ after, follow: true, signal: leave.signal });
    await Promise.all([
      writer.pipe(events, (item) => gate.passes(item)).then(() => sayGoodbye(client, session)),
      takeFrames(frames, taker).then(() => leave.abort()),
    ]);
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === 'internal') request.log.error({ err: error }, 'socket failed');
    socket.close(CLOSE_CODES[problem.code] ?? 1011, closeReason(problem));
  } finally {
    leave.abort();
    gate.close();
    frames.close();
    // A paused socket would not see its client's goodbye.
    socket.resume();
    input.dropped();
  }
}

/** Tells the client where it is. @returns the `seq` after which it is to read */
async function greet(client: Client, session: Session): Promise<number> {
  const { lastSeq } = session.log;
  await client.writer.send(helloFrame(session));
  if (client.ref !== undefined) await client.writer.send({ type: 'ack', ref: client.ref });
  try {
    return askedAfter(client.request.query, lastSeq);
  } catch (error) {
    await client.writer.send(problemEvent(toProblem(error), client.request));
    return lastSeq;
  }
}

/** @throws Problem `invalid-request`: what happens from now on can be told all the same */
function askedAfter(query: unknown, lastSeq: number): number {
  const { after } = query as { after?: unknown };
  if (after === undefined) return lastSeq;
  const parsed = After.safeParse(after);
  if (!parsed.success) throw new Problem('invalid-request', `after is ${JSON.stringify(after).slice(0, 80)}: give the seq of an event.`);
  assertInLog(parsed.data, lastSeq);
  return parsed.data;
}

async function takeFrames(frames: Channel<string>, taker: FrameTaker): Promise<void> {
  let taken = 0;
  for await (const text of frames) {
    if (!(await takeFrame(text, taker))) return;
    // A client that sends without a pause must leave the others their turns of the loop.
    if (++taken % FRAMES_A_TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** The log has ended under an open socket: the service drains, or the session is gone. */
function sayGoodbye({ app, socket }: Client, session: Session): void {
  if (app.services.sessions.draining) socket.close(1001, 'the service is shutting down: reconnect with ?after=');
  else if (session.over) socket.close(4404, 'the session has ended');
  else socket.close(1013, 'the session goes on, and not here: reconnect with ?after=');
}

function problemEvent(problem: Problem, request: FastifyRequest, ref?: unknown) {
  return { type: 'error', problem: problemBody(problem, request.id), ...(ref !== undefined && { ref }) };
}

/** Frames from the first moment on; a client that sends faster than they are handled is made to wait. */
function readFrames(socket: WebSocket, writer: SocketWriter): Channel<string> {
  const frames = new Channel<string>({
    highWater: WAITING_FRAMES,
    weigh: (text) => Math.max(1, text.length / FRAME_CHARS),
    full: () => socket.pause(),
    drained: () => socket.resume(),
  });
  socket.on('message', (data) => frames.push(toText(data)));
  socket.on('ping', (data) => writer.pong(data));
  socket.once('close', () => frames.close());
  socket.on('error', () => socket.terminate());
  return frames;
}

function toText(data: RawData): string {
  // Messages come as buffers, since nothing else was asked for.
  return (data as Buffer).toString('utf8');
}
