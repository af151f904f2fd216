// The measuring side: one kept-alive HTTP connection, and sockets whose frames are awaited one by one.
import { once } from 'node:events';
import { Client } from 'undici';
import { WebSocket } from 'ws';

/** A POST over one connection that stays open, so that connecting is not measured. */
export interface HttpClient {
  /** @throws Error for any status but 2xx */
  post(path: string, body: string): Promise<string>;
  /** @throws Error for any status but 2xx */
  delete(path: string): Promise<void>;
  close(): Promise<void>;
}

export function httpClient(address: string): HttpClient {
  const client = new Client(`http://${address}`);
  const send = async (method: 'POST' | 'DELETE', path: string, body: string | null): Promise<string> => {
    const reply = await client.request({ method, path, body, ...(body !== null && { headers: JSON_BODY }) });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${text}`);
    return text;
  };
  return {
    post: (path, body) => send('POST', path, body),
    delete: async (path) => void (await send('DELETE', path, null)),
    close: () => client.close(),
  };
}

const JSON_BODY = { 'content-type': 'application/json' };

/** @returns the id of a session in which every call may run */
export async function createSession(http: HttpClient, options: object = {}): Promise<string> {
  return (await createPlace(http, options)).id;
}

/** A session in which every call may run, and the directory of its own that it works in. */
export async function createPlace(http: HttpClient, options: object = {}): Promise<{ id: string; directory: string }> {
  const made = await http.post('/v1/sessions', JSON.stringify({ permissions: { mode: 'bypassPermissions' }, ...options }));
  const { id, workspace } = JSON.parse(made) as { id: string; workspace: { path: string } };
  return { id, directory: workspace.path };
}

interface TurnReply {
  readonly turn: { readonly batches: readonly unknown[]; readonly calls: readonly { readonly outcome: string }[] };
}

type Uses = readonly { readonly name: string; readonly input: unknown }[];

/** Posts one message of these calls. @returns the reply, unread: parsing it would be the client's time */
export function postCalls(http: HttpClient, session: string, uses: Uses): Promise<string> {
  const content = uses.map((use) => ({ type: 'tool_use', id: callId(), ...use }));
  return http.post(`/v1/sessions/${session}/messages`, JSON.stringify({ role: 'assistant', content }));
}

/** As {@link postCalls}, and reads the reply. @throws Error unless all run as one batch and end well */
export async function postBatch(http: HttpClient, session: string, uses: Uses): Promise<string> {
  const text = await postCalls(http, session, uses);
  const { turn } = JSON.parse(text) as TurnReply;
  if (turn.batches.length !== 1 || turn.calls.some(({ outcome }) => outcome !== 'ok'))
    throw new Error(`The calls did not run as one batch: ${text.slice(0, 1_000)}`);
  return text;
}

/** Does something as often as wanted, so many times at once. */
export async function times(count: number, atOnce: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const workers = Array.from({ length: atOnce }, async () => {
    while (next < count) await work(next++);
  });
  await Promise.all(workers);
}

export async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, 'toolexec.v1', { perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

export async function openBareSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

/** Milliseconds after which an answer is not waited for any more. */
const PATIENCE_MS = 60_000;

/**
 * Resolves with the next frames whose text begins so, once there are `count` of them, and the time of each. Only the head
 * of a frame is looked at: decoding it would be measured too.
 */
export function framesOf(socket: WebSocket, head: string, count = 1): Promise<{ text: string; atMs: number }[]> {
  const { promise, resolve, reject } = Promise.withResolvers<{ text: string; atMs: number }[]>();
  const frames: { text: string; atMs: number }[] = [];
  const settle = (): void => {
    clearTimeout(timer);
    socket.off('message', take);
    socket.off('close', closed);
  };
  const take = (data: Buffer): void => {
    const text = data.toString();
    if (text.startsWith(ERROR_HEAD)) {
      settle();
      reject(new Error(`The service refused a frame: ${text}`));
    }
    if (!text.startsWith(head)) return;
    if (frames.push({ text, atMs: performance.now() }) < count) return;
    settle();
    resolve(frames);
  };
  const fail = (why: string): void => {
    settle();
    reject(new Error(`The frames ${head}… did not come: ${why}.`));
  };
  const closed = (code: number): void => fail(`the socket was closed with code ${code}`);
  const timer = setTimeout(fail, PATIENCE_MS, `${PATIENCE_MS} ms have passed`);
  socket.on('message', take);
  socket.once('close', closed);
  return promise;
}

export const ERROR_HEAD = '{"type":"error"';
export const TOOL_RESULT = '{"type":"tool_result"';
export const TURN_COMPLETED = '{"type":"turn_completed"';

let ids = 0;
/** An id that no call of this process has had. */
export function callId(): string {
  ids += 1;
  return `toolu_${ids}`;
}
