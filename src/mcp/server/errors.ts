// Faults that are no results of a call, as JSON-RPC errors.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Problem, type ProblemCode } from '../../contract/index.ts';

/** What the client can mend by asking for something else. */
const OF_THE_CLIENT: readonly ProblemCode[] = ['invalid-request', 'session-not-found', 'forbidden', 'tool-use-id-reused'];

/** Does something for a request; whatever it throws becomes an error that a client may see. */
export async function asProtocol<Result>(work: () => Promise<Result>, report: (error: unknown) => void): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof Problem) throw protocolError(error);
    report(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong inside the service. Its log has the details.');
  }
}

function protocolError({ code, message, retryAfterSeconds }: Problem): ProtocolError {
  const isClients = OF_THE_CLIENT.includes(code);
  const data = { type: `/problems/${code}`, ...(retryAfterSeconds !== undefined && { retry_after_ms: retryAfterSeconds * 1000 }) };
  return new ProtocolError(isClients ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message, data);
}
