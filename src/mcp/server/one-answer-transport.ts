// A client that gives two requests one id could not tell their answers apart, and neither could the transport.
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  WebStandardStreamableHTTPServerTransport,
  type RequestId,
} from '@modelcontextprotocol/server';
import { errorResponse } from './error-response.ts';

type Parent = WebStandardStreamableHTTPServerTransport;

const INVALID_REQUEST = -32_600;

/** Refuses a request whose id another one has that is not answered yet. Expects bodies already parsed. */
export class OneAnswerTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #unanswered = new Set<RequestId>();

  override async handleRequest(...[request, options]: Parameters<Parent['handleRequest']>): Promise<Response> {
    const body = options?.parsedBody;
    const ids = requestIds(body);
    const taken = ids.find((id) => this.#unanswered.has(id));
    if (taken !== undefined || new Set(ids).size < ids.length) {
      const message = 'Another request with this id is not answered yet: give each request an id of its own.';
      return errorResponse(400, { code: INVALID_REQUEST, message }, Array.isArray(body) ? null : taken);
    }
    for (const id of ids) this.#unanswered.add(id);
    const response = await super.handleRequest(request, options);
    // What was refused as a whole gets no further answer.
    if (!response.ok) this.#forget(ids);
    return response;
  }

  override async send(...[message, options]: Parameters<Parent['send']>): Promise<void> {
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) this.#forget([message.id]);
    await super.send(message, options);
  }

  /** Of a request that gets no answer. */
  override closeSSEStream(id: RequestId): void {
    this.#forget([id]);
    super.closeSSEStream(id);
  }

  #forget(ids: readonly RequestId[]): void {
    for (const id of ids) this.#unanswered.delete(id);
  }
}

function requestIds(body: unknown): RequestId[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return [];
    const { id } = message;
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}
