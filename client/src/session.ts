// One session: everything that is done in it.
import { ClientWork, type ApprovalHandler } from './client-work.ts';
import { readEvents, type EventsOptions } from './event-reader.ts';
import type { AnyClientTool, ClientTool } from './client-tool.ts';
import type { OutgoingMessage, Plan, ToolMatches } from './generated.ts';
import { openMessageStream, type MessageStream, type StreamOptions } from './message-stream.ts';
import type { MessageSource } from './message-source.ts';
import { send, sendJson } from './request.ts';
import { approvalsOf, checkpointsOf, filesOf, tasksOf, ticketsOf, turnsOf, type SessionPlace } from './resources.ts';
import { runMessage, type RunOptions, type RunReply } from './run-message.ts';
import type { Transport } from './transport.ts';
import type { MessageFormat, SessionInfo, SessionPatch, ToolexecEvent, ToolsOf } from './types.ts';
import { watchSession, type WatchOptions } from './watch-session.ts';

export type { ApprovalHandler, EventsOptions, WatchOptions };

/** A session of the service. Its handlers and client tools answer while `run`, `stream`, `events` or `watch` read the session. */
export class Session {
  readonly id: string;
  readonly approvals: ReturnType<typeof approvalsOf>;
  readonly turns: ReturnType<typeof turnsOf>;
  readonly files: ReturnType<typeof filesOf>;
  readonly checkpoints: ReturnType<typeof checkpointsOf>;
  readonly tasks: ReturnType<typeof tasksOf>;
  readonly tickets: ReturnType<typeof ticketsOf>;
  readonly #place: SessionPlace;
  readonly #work: ClientWork;

  /** Use `client.sessions.create` or `client.sessions.open`. */
  constructor(transport: Transport, id: string, clientTools: readonly AnyClientTool[] = []) {
    this.id = id;
    const place: SessionPlace = { transport, path: `/v1/sessions/${encodeURIComponent(id)}` };
    this.approvals = approvalsOf(place);
    this.turns = turnsOf(place);
    this.files = filesOf(place);
    this.checkpoints = checkpointsOf(place);
    this.tasks = tasksOf(place);
    this.tickets = ticketsOf(place);
    this.#place = place;
    this.#work = new ClientWork({ approvals: this.approvals, turns: this.turns });
    for (const tool of clientTools) this.#work.addTool(tool);
  }

  info(): Promise<SessionInfo> {
    return sendJson(this.#place.transport, { path: this.#place.path });
  }

  update(patch: SessionPatch): Promise<SessionInfo> {
    return sendJson(this.#place.transport, { method: 'PATCH', path: this.#place.path, json: patch });
  }

  /** Aborts what runs, and removes the session with what is its own. */
  async delete(): Promise<void> {
    await send(this.#place.transport, { method: 'DELETE', path: this.#place.path, repeatable: false });
  }

  /**
   * Runs the tool calls of an assistant message, in the shape in which the API of Anthropic or OpenAI returned it. It may be
   * lost on the way and is sent again: it runs once.
   * @returns what to append to the conversation; with `turn.status: "requires_action"` there is something in `pending` for which
   *   nobody here answers; with `wait: false` there are no `messages` yet
   * @throws ToolexecProblem
   */
  run<Message = OutgoingMessage>(message: object, options: RunOptions = {}): Promise<RunReply<Message>> {
    const reply = runMessage({ place: this.#place, turns: this.turns, work: this.#work, message, options });
    // Messages come back in the format of the message, whose type the caller names.
    return reply as Promise<RunReply<Message>>;
  }

  /**
   * Runs the tool calls of an assistant message while the model still writes it. Connections may drop: it goes on, and each
   * call runs once.
   * @param source the stream object of an official SDK, as it is. Without it calls are given with `send`, and the message ends with `end`
   */
  stream<Message = OutgoingMessage>(source?: MessageSource, options: StreamOptions = {}): MessageStream<Message> {
    // As above.
    return openMessageStream({ place: this.#place, work: this.#work, source, options }) as MessageStream<unknown> as MessageStream<Message>;
  }

  /** The log as Server-Sent Events, from its beginning if not told otherwise. Goes on by itself after a drop. */
  events(options: EventsOptions = {}): AsyncIterable<ToolexecEvent> {
    return readEvents({ place: this.#place, work: this.#work, options });
  }

  /** What happens, over a socket: first `session`, and again after each drop. From now on, if not told otherwise. */
  watch(options: WatchOptions = {}): AsyncIterable<ToolexecEvent> {
    return watchSession({ place: this.#place, work: this.#work, options });
  }

  /** Answers for people. What the handler throws is a deny. @returns a function that takes the handler away */
  onApproval(handler: ApprovalHandler): () => void {
    return this.#work.onApproval(handler);
  }

  /** Runs a tool that was declared when the session was made, here. @returns a function that takes it away */
  clientTool<Input>(tool: ClientTool<Input>): () => void {
    return this.#work.addTool(tool);
  }

  /** What would become of the calls of a message; nothing runs. */
  plan(message: object, { format }: { format?: MessageFormat } = {}): Promise<Plan> {
    const { transport, path } = this.#place;
    return sendJson(transport, { method: 'POST', path: `${path}/plan`, query: { format }, json: message, repeatable: true });
  }

  /** The tools that a model may call, as its API takes them. */
  tools<Tool = Record<string, unknown>>(format?: MessageFormat | 'mcp'): Promise<ToolsOf<Tool>> {
    return sendJson(this.#place.transport, { path: `${this.#place.path}/tools`, query: { format } });
  }

  /** Finds deferred tools, which count as loaded from then on. */
  searchTools(query: string, maxResults?: number): Promise<ToolMatches> {
    const { transport, path } = this.#place;
    const json = { query, ...(maxResults !== undefined && { max_results: maxResults }) };
    return sendJson(transport, { method: 'POST', path: `${path}/tools/search`, json, repeatable: true });
  }

  /** Each decision and each call: who, what, why. @param options.after `seq` after which to begin */
  async audit({ after }: { after?: number } = {}): Promise<Record<string, unknown>[]> {
    const { transport, path } = this.#place;
    const response = await send(transport, { path: `${path}/audit`, query: { after } });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}
