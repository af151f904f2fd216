// What a request's headers ask for.
import type { FastifyRequest } from 'fastify';

export function wantsEventStream(request: FastifyRequest): boolean {
  return accepts(request, 'text/event-stream') && !accepts(request, 'application/json');
}

export function wantsJson(request: FastifyRequest): boolean {
  return accepts(request, 'application/json') && !accepts(request, 'text/event-stream');
}

/** `Prefer: respond-async` (RFC 7240). */
export function prefersAsync(request: FastifyRequest): boolean {
  return preferences(request).some((part) => part === 'respond-async');
}

/** Seconds of `Prefer: wait=N`, 0 when absent. */
export function preferredWait(request: FastifyRequest): number {
  const wait = preferences(request)
    .map((part) => /^wait=(\d{1,4})$/.exec(part)?.[1])
    .find((seconds) => seconds !== undefined);
  return wait === undefined ? 0 : Number(wait);
}

function preferences(request: FastifyRequest): string[] {
  const header = request.headers['prefer'];
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text.split(/[,;]/).map((part) => part.trim().toLowerCase());
}

function accepts(request: FastifyRequest, type: string): boolean {
  return (request.headers.accept ?? '').toLowerCase().includes(type);
}
