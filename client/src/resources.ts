// What belongs to a session and is asked for by plain requests: each resource is an object of functions.
import type {
  Approval,
  ApprovalAnswered,
  ApprovalDecision,
  Checkpoint,
  ClientResult,
  Directory,
  MessageReply,
  ResolveRequest,
  Rewind,
  SettledCall,
  Task,
  TaskOutput,
  Ticket,
  Turn,
  Unpacked,
  WrittenFile,
} from './generated.ts';
import { send, sendJson, type Content, type RequestOptions } from './request.ts';
import type { Transport } from './transport.ts';
import type { Page, PageOptions } from './types.ts';

/** Where the requests of a session go. */
export interface SessionPlace {
  readonly transport: Transport;
  /** `/v1/sessions/<id>`. */
  readonly path: string;
}

function at({ transport, path }: SessionPlace) {
  const within = (options: RequestOptions): RequestOptions => ({ ...options, path: path + options.path });
  return {
    raw: (options: RequestOptions) => send(transport, within(options)),
    json: <Reply>(options: RequestOptions) => sendJson<Reply>(transport, within(options)),
  };
}

export function approvalsOf(place: SessionPlace) {
  const { json } = at(place);
  return {
    /** Those that wait for an answer. */
    list: async (): Promise<Approval[]> => (await json<{ data: Approval[] }>({ path: '/approvals' })).data,
    /** @throws ToolexecProblem `approval-already-resolved` when somebody was first */
    answer: (id: string, answer: ApprovalDecision): Promise<ApprovalAnswered> =>
      json({ method: 'POST', path: `/approvals/${encodeURIComponent(id)}`, json: answer }),
  };
}

export function turnsOf(place: SessionPlace) {
  const { raw, json } = at(place);
  const turn = (id: string): string => `/turns/${encodeURIComponent(id)}`;
  const call = (id: string, callId: string): string => `${turn(id)}/calls/${encodeURIComponent(callId)}`;
  const changed = async (path: string, body?: unknown): Promise<Turn> =>
    (await json<{ turn: Turn }>({ method: 'POST', path, ...(body !== undefined && { json: body }) })).turn;
  return {
    /** Newest first. */
    list: (page: PageOptions = {}): Promise<Page<Turn>> => json({ path: '/turns', query: { ...page } }),
    /** @param options.wait how many seconds, at most 60, it may be waited for its end or for its need of somebody */
    get: (id: string, { wait, signal }: { wait?: number; signal?: AbortSignal } = {}): Promise<MessageReply> =>
      json({ path: turn(id), headers: { prefer: wait === undefined ? undefined : `wait=${wait}` }, signal }),
    /** Kills what runs; each unfinished call gets an error result. */
    abort: (id: string, reason?: string): Promise<Turn> => changed(`${turn(id)}/abort`, reason === undefined ? {} : { reason }),
    /** Drops its results. */
    discard: (id: string): Promise<Turn> => changed(`${turn(id)}/discard`),
    /** Stops this call alone. */
    cancel: (id: string, callId: string): Promise<Turn> => changed(`${call(id, callId)}/cancel`),
    /** Lets this running call go on as a background task. */
    background: (id: string, callId: string): Promise<Turn> => changed(`${call(id, callId)}/background`),
    /** Settles a call whose outcome is unknown. */
    resolve: (id: string, callId: string, as: ResolveRequest): Promise<SettledCall> =>
      json({ method: 'POST', path: `${call(id, callId)}/resolve`, json: as }),
    /** Answers a call that the client runs. */
    answer: async (id: string, callId: string, result: ClientResult): Promise<void> => {
      await raw({ method: 'POST', path: `${call(id, callId)}/result`, json: result });
    },
    /** The whole output of a call, also while it grows. @param options.range as the header has it, such as `bytes=100-` */
    output: (id: string, callId: string, { range, signal }: { range?: string; signal?: AbortSignal } = {}): Promise<Response> =>
      raw({ path: `${call(id, callId)}/output`, headers: { range }, signal }),
  };
}

export function filesOf(place: SessionPlace) {
  const { raw, json } = at(place);
  const file = (path: string): string => {
    const names = path.split('/').filter((name) => name !== '');
    return ['/files', ...names.map(encodeURIComponent)].join('/');
  };
  return {
    /** @param path of a directory, from the workspace; that itself when absent */
    list: (path = '', page: PageOptions = {}): Promise<Directory> => json({ path: file(path), query: { ...page } }),
    /** The bytes of a file. */
    get: (path: string, { range, signal }: { range?: string; signal?: AbortSignal } = {}): Promise<Response> =>
      raw({ path: file(path), headers: { range }, signal }),
    /** @param options.ifMatch the `ETag` that the file must still have. @throws ToolexecProblem `precondition-failed` */
    put: (path: string, body: Content, { ifMatch }: { ifMatch?: string } = {}): Promise<WrittenFile> =>
      json({
        method: 'PUT',
        path: file(path),
        body,
        headers: { 'content-type': 'application/octet-stream', 'if-match': ifMatch },
        // What was read from a stream is gone; what has to match matches only once.
        repeatable: ifMatch === undefined && !(body instanceof ReadableStream),
      }),
    delete: async (path: string, { recursive, ifMatch }: { recursive?: boolean; ifMatch?: string } = {}): Promise<void> => {
      await raw({ method: 'DELETE', path: file(path), query: { recursive }, headers: { 'if-match': ifMatch }, repeatable: false });
    },
    /** The workspace as tar. */
    archive: (): Promise<Response> => raw({ path: '/archive' }),
    /** Unpacks a tar into the workspace. */
    unpack: (tar: Content): Promise<Unpacked> =>
      json({ method: 'PUT', path: '/archive', body: tar, headers: { 'content-type': 'application/x-tar' }, repeatable: false }),
  };
}

export function checkpointsOf(place: SessionPlace) {
  const { json } = at(place);
  return {
    list: async (): Promise<Checkpoint[]> => (await json<{ data: Checkpoint[] }>({ path: '/checkpoints' })).data,
    /** Puts the files back as they were before the turn of this checkpoint. */
    rewind: (id: string, { dryRun }: { dryRun?: boolean } = {}): Promise<Rewind> =>
      json({ method: 'POST', path: `/checkpoints/${encodeURIComponent(id)}/rewind`, query: { dry_run: dryRun } }),
  };
}

export function tasksOf(place: SessionPlace) {
  const { json } = at(place);
  const task = (id: string): string => `/tasks/${encodeURIComponent(id)}`;
  return {
    list: async (): Promise<Task[]> => (await json<{ data: Task[] }>({ path: '/tasks' })).data,
    /** What it put out from this byte on. */
    output: (id: string, offset = 0): Promise<TaskOutput> => json({ path: task(id), query: { offset } }),
    stop: (id: string): Promise<Task> => json({ method: 'POST', path: `${task(id)}/stop` }),
  };
}

export function ticketsOf(place: SessionPlace) {
  const { json } = at(place);
  return {
    /** A way in for one connection that has no key. */
    create: (options: { scope?: 'watch' | 'drive'; ttl_ms?: number } = {}): Promise<Ticket> =>
      json({ method: 'POST', path: '/tickets', json: options }),
  };
}
