// What never gets as far as a route: addresses that cannot be read, bytes that are no HTTP, and frames that are no WebSocket.
// It is told as every other problem is, and it is the client's fault: no error in the log of the service.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../contract/index.ts';
import { problemBody, sendProblem } from './problem-details.ts';

/** Characters that a part of an address may have, such as an id. */
export const MAX_PARAM_CHARS = 300;

/** For an address that the router cannot read: none of the hooks has seen the request. */
export function answerUnreadable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void reply.header('x-request-id', request.id);
  void sendProblem(new Problem('invalid-request', ADDRESS_FAULTS[error.code] ?? 'The address cannot be read.'), request, reply);
}

const ADDRESS_FAULTS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The address cannot be read: after each % there must be two digits of a character in UTF-8. A % itself is written %25.',
  FST_ERR_MAX_PARAM_LENGTH: `A part of the address is longer than ${MAX_PARAM_CHARS} characters: nothing here has so long a name.`,
};

/** For bytes that are no request, on a connection that is of no use after that. */
export function answerNoRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const { status, reason, detail } = NO_REQUEST[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify({ ...problemBody(new Problem('invalid-request', detail)), status });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  if (socket.writable && error.code !== 'ECONNRESET' && !isAnswered(socket)) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Nobody waits for a client that does not read.
  socket.destroy();
}

/** An answer is under way: this one would land in its middle. */
function isAnswered(socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean {
  // Node tells of it nowhere else.
  const { _httpMessage: answer } = socket;
  return answer?.headersSent === true;
}

const NOT_HTTP = { status: 400, reason: 'Bad Request', detail: 'The connection does not speak HTTP/1.1.' };
const NO_REQUEST: Readonly<Record<string, typeof NOT_HTTP>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: 'Request Header Fields Too Large',
    detail: 'The address and the headers are larger than 16 KiB together: send less of them.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: 'Request Timeout', detail: 'The request did not come in time: send it again.' },
};

/** For a socket that fails. Broken frames and lost connections are the client's. */
export function endFailedSocket(error: Error, socket: { terminate(): void }, request: { readonly log: FastifyBaseLogger }): void {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('WS_ERR_') || code === 'ECONNRESET' || code === 'EPIPE')
    request.log.info({ code, reason: error.message }, 'a client broke its socket');
  else request.log.error({ err: error }, 'socket failed');
  socket.terminate();
}
