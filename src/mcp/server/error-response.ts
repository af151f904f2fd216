import type { RequestId } from '@modelcontextprotocol/server';

/** A reply to a request that reaches no session. */
export function errorResponse(status: number, error: { code: number; message: string }, id: RequestId | null = null): Response {
  return Response.json({ jsonrpc: '2.0', error, id }, { status });
}
