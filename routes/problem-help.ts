import type { ProblemCode } from '../src/contract/index.ts';

/** What to do about each problem, for the page that its `type` links to. */
export const PROBLEM_HELP: Readonly<Record<ProblemCode, string>> = {
  'invalid-request':
    'The body or a parameter is not of the expected form. Each entry of errors names a path, such as permissions.ask[0], and what to change there.',
  'duplicate-tool-use-id': 'Two calls of one message have the same id. Give each its own.',
  unauthorized: 'Send a valid key as Authorization: Bearer <key>.',
  forbidden:
    'The operator does not allow this; detail says which of these it is. The workspace or a further directory does not lie under TOOLEXEC_WORKSPACE_ROOTS, or holds data of the service. The permission mode is not in TOOLEXEC_ALLOWED_MODES. The sandbox mode is less than TOOLEXEC_SANDBOX, or more than this machine has. The page comes from an origin that is not in TOOLEXEC_ALLOWED_ORIGINS. The ticket is one to watch, which sends nothing but ping.',
  'host-not-allowed': 'The Host header is not one of the service. Ask the operator to add it to TOOLEXEC_ALLOWED_HOSTS.',
  'not-found': 'There is nothing at this address. See /docs.',
  'session-not-found': 'The session was never made, was deleted, has expired, or belongs to another key. Make a new one.',
  'turn-not-found': 'The session has no such turn, or the turn has already ended.',
  'call-not-found': 'The turn has no such call, or nothing waits for it.',
  'approval-not-found': 'No such approval waits for an answer. GET /v1/sessions/:id/approvals lists those that do.',
  'task-not-found':
    'The session has no such task, or it ended so long ago that it is forgotten. GET /v1/sessions/:id/tasks lists those there are.',
  'checkpoint-not-found': 'The session has no such checkpoint: only the last 100 are kept. GET /v1/sessions/:id/checkpoints lists them.',
  'file-not-found': 'There is no file of this path in the workspace. GET /v1/sessions/:id/files/ lists what is there.',
  'file-conflict':
    'The path cannot be used like this: a directory is where a file would be, or the other way round, or a turn runs that must end first; detail says which.',
  'quota-exceeded': 'The session would hold more than it may. Remove files, or ask the operator for more.',
  'approval-already-resolved': 'Somebody has answered this approval, or its time is over. The first answer stands.',
  'tool-use-id-reused':
    'The session has run a call of this id before, as part of another message. Send the same message again to get its results, or use new ids.',
  'idempotency-key-reused': 'The key was used with another body within the last day. Use a new key for a new request.',
  'precondition-failed': 'The thing has changed since you read it. Read it again.',
  'payload-too-large': 'Send less at a time; detail names the limit, which the operator sets (limits.body_bytes in TOOLEXEC_CONFIG).',
  'unsupported-media-type': 'Send JSON with Content-Type: application/json.',
  'range-not-satisfiable': 'The asked bytes are past the end of what there is so far.',
  'upgrade-required': 'This address speaks WebSocket: connect with ws:// or wss:// and the subprotocol toolexec.v1. See /asyncapi.yaml.',
  'too-many-requests': 'A limit of this key is reached. Wait as long as Retry-After says, or release something.',
  'turn-queue-full': 'Too many turns wait in this session. Wait for one to end.',
  internal: 'A fault of the service. Its log has the details under the request id in instance.',
  draining: 'The service is shutting down. Repeat the request elsewhere or later.',
  'session-elsewhere':
    'The node of the cluster that works on this session does not answer, and another takes the session over. Send the request again after Retry-After, to any node: a message that was taken already is not run again.',
  'store-unavailable': 'The service cannot keep anything now. Repeat the request after Retry-After.',
  overloaded: 'The service has more work than it can take. Repeat the request after Retry-After.',
};
