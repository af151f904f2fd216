import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

/** The request that a message calls off; `undefined` for any other message. */
export function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
