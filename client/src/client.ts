// The way in: sessions, and what needs none.
import { declared } from './client-tool.ts';
import type { CallReply, MessageReply } from './generated.ts';
import { keyedPost, sendJson } from './request.ts';
import { Session } from './session.ts';
import { createTransport, type ClientOptions, type Transport } from './transport.ts';
import type { CallOptions, CreateOptions, MessageFormat, MessagesOptions, Page, PageOptions, SessionInfo, ToolsOf } from './types.ts';

/** A client of one service, as one owner. It holds nothing open by itself. */
export class ToolexecClient {
  readonly sessions: ReturnType<typeof sessionsOf>;
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = createTransport(options);
    this.sessions = sessionsOf(this.#transport);
  }

  /** The tools of the service, as a model's API takes them. */
  tools<Tool = Record<string, unknown>>(format?: MessageFormat | 'mcp'): Promise<ToolsOf<Tool>> {
    return sendJson(this.#transport, { path: '/v1/tools', query: { format } });
  }

  /** Runs one tool. @param args an object, or its JSON text. @throws ToolexecProblem */
  call(name: string, args: object | string = {}, options: CallOptions = {}): Promise<CallReply> {
    const { sessionId, session, idempotencyKey, signal } = options;
    const json = { name, arguments: args, session_id: sessionId, session };
    return sendJson(this.#transport, keyedPost({ path: '/v1/call', json, idempotencyKey, signal }));
  }

  /** Runs the calls of an assistant message in a session of its own, made and removed for it. @throws ToolexecProblem */
  messages(message: object, options: MessagesOptions = {}): Promise<MessageReply> {
    const { session, format, idempotencyKey, signal } = options;
    const json = { ...message, ...(session && { session }) };
    return sendJson(this.#transport, keyedPost({ path: '/v1/messages', query: { format }, json, idempotencyKey, signal }));
  }
}

function sessionsOf(transport: Transport) {
  return {
    /** @throws ToolexecProblem */
    create: async (options: CreateOptions = {}): Promise<Session> => {
      const { clientTools = [], ...rest } = options;
      const custom = [...(rest.tools?.custom ?? []), ...clientTools.map(declared)];
      const json = clientTools.length === 0 ? rest : { ...rest, tools: { ...rest.tools, custom } };
      const made = await sendJson<SessionInfo>(transport, keyedPost({ path: '/v1/sessions', json }));
      return new Session(transport, made.id, clientTools);
    },
    /** A session that there is. Sends nothing. */
    open: (id: string): Session => new Session(transport, id),
    get: (id: string): Promise<SessionInfo> => sendJson(transport, { path: `/v1/sessions/${encodeURIComponent(id)}` }),
    /** Newest first. */
    list: (page: PageOptions = {}): Promise<Page<SessionInfo>> => sendJson(transport, { path: '/v1/sessions', query: { ...page } }),
  };
}
