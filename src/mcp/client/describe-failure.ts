import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { clipped } from '../../contract/index.ts';

const MAX_LENGTH = 500;
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** What went wrong with a server, in words that follow its name. The body of an HTTP answer is never among them: it may repeat what was sent. */
export function describeFailure(error: unknown): string {
  if (error instanceof SdkHttpError) return `It answered with HTTP status ${error.data.status}.`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'It did not answer in time.';
  if (error instanceof ProtocolError) return `It answered with an error: ${clipped(error.message, MAX_LENGTH)} (${error.code})`;
  if (!(error instanceof Error)) return clipped(String(error), MAX_LENGTH);
  const { cause } = error;
  if (error instanceof SdkError && cause instanceof Error) return describeFailure(cause);
  if (error instanceof TypeError && cause instanceof Error) return describeNetwork(cause);
  return clipped(error.message, MAX_LENGTH);
}

function describeNetwork(cause: Error): string {
  const code = 'code' in cause ? String(cause.code) : clipped(cause.message, MAX_LENGTH);
  return UNREACHED.has(code) ? `It cannot be reached (${code}).` : `The connection to it broke off (${code}).`;
}

/** True when the server knows nothing of the session: what was sent to it then did nothing. */
export function isUnknownSession(error: unknown): boolean {
  return error instanceof SdkHttpError && error.data.status === 404;
}
