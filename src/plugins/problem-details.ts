// Every error over HTTP leaves here, as RFC 9457 application/problem+json.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Problem, type ProblemCode } from '../contract/index.ts';
import { checkForm } from '../formats/schema-issues.ts';

export const PROBLEM_STATUS: Readonly<Record<ProblemCode, number>> = {
  'invalid-request': 400,
  'duplicate-tool-use-id': 400,
  unauthorized: 401,
  forbidden: 403,
  'host-not-allowed': 403,
  'not-found': 404,
  'session-not-found': 404,
  'turn-not-found': 404,
  'call-not-found': 404,
  'approval-not-found': 404,
  'task-not-found': 404,
  'checkpoint-not-found': 404,
  'file-not-found': 404,
  'approval-already-resolved': 409,
  'file-conflict': 409,
  'tool-use-id-reused': 409,
  'idempotency-key-reused': 409,
  'precondition-failed': 412,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  'range-not-satisfiable': 416,
  'upgrade-required': 426,
  'quota-exceeded': 413,
  'too-many-requests': 429,
  'turn-queue-full': 429,
  internal: 500,
  draining: 503,
  'store-unavailable': 503,
  'session-elsewhere': 503,
  overloaded: 503,
};

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance?: string;
  errors?: { path: string; message: string }[];
}

export function problemBody(problem: Problem, instance?: string): ProblemBody {
  return {
    type: `/problems/${problem.code}`,
    title: titleOf(problem.code),
    status: PROBLEM_STATUS[problem.code],
    detail: problem.message,
    ...(instance !== undefined && { instance }),
    ...(problem.issues.length > 0 && { errors: problem.issues.slice(0, 20).map(({ path, message }) => ({ path, message })) }),
  };
}

export function titleOf(code: ProblemCode): string {
  const words = code.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Makes a problem of whatever was thrown; what is not ours becomes `internal`, without its text.
 * @param bodyLimit bytes that a body may have, where one was read
 */
export function toProblem(error: unknown, bodyLimit?: number): Problem {
  if (error instanceof Problem) return error;
  const known = error as Partial<FastifyError>;
  switch (known.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limit = bodyLimit === undefined ? 'this service takes' : `the ${bodyLimit} bytes that this service takes`;
      return new Problem('payload-too-large', `The body is larger than ${limit}. Send less at a time.`);
    }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported-media-type', 'Send the body as JSON, with the header Content-Type: application/json.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Problem('invalid-request', 'The body is empty: send a JSON object.');
  }
  const status = known.statusCode;
  if (status !== undefined && status >= 400 && status < 500)
    return new Problem('invalid-request', known.message ?? 'The request is wrong.');
  return new Problem('internal', 'Something went wrong inside the service. The log has the details under this request id.', {
    cause: error,
  });
}

const PARTS: Readonly<Record<string, string>> = { querystring: 'query', params: 'path' };

/** Writes a problem as the whole reply. */
export function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (problem.retryAfterSeconds !== undefined) void reply.header('retry-after', String(problem.retryAfterSeconds));
  if (problem.code === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
  if (problem.code === 'upgrade-required') void reply.headers({ upgrade: 'websocket', connection: 'upgrade' });
  const body = JSON.stringify(problemBody(problem, request.id));
  return reply.status(PROBLEM_STATUS[problem.code]).type('application/problem+json').send(body);
}

/** Also checks what comes in, so that a wrong request is told in the same words as wrong options. */
export const problemDetails = fastifyPlugin((app: FastifyInstance, _options, done) => {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart = 'request' }) => {
    const what = `The ${PARTS[httpPart] ?? httpPart} is`;
    return (given) => checkForm(schema, given, what);
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request.routeOptions.bodyLimit);
    if (problem.code === 'internal') request.log.error({ err: error }, 'request failed');
    return sendProblem(problem, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const detail = `There is nothing at ${request.method} ${request.url.split('?')[0]?.slice(0, 200)}. See /docs for what there is.`;
    return sendProblem(new Problem('not-found', detail), request, reply);
  });
  done();
});
