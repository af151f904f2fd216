// The AsyncAPI document of the sockets, made of the schemas of their frames.
import { CLIENT_MESSAGES, describeMessages, namedSchemas, OPENING_MESSAGES, SERVER_MESSAGES } from './asyncapi-messages.ts';
import { referredSchemas } from './document-schemas.ts';

const DESCRIPTION = `Calls go in one by one, as whole messages, or as the stream of a model that is piped through unchanged; events come out as they happen, and results strictly in the order of the calls.

A socket has at most one open turn: it begins with the first call, \`message_start\` or \`message\`, and ends with \`end\`, \`message_stop\` or \`finish_reason\`. A call after that opens the next turn. \`end\`, \`abort\` and \`discard\` mean the newest unfinished turn of the socket, or the one that \`turn_id\` names. When the input breaks off (nothing comes for \`execution.input_idle_ms\`, or the socket drops and does not come back), complete calls run and a half-received one is dropped: \`stop\` of the turn is \`{"reason": "input_lost"}\`.

Any frame may carry a \`ref\`, which comes back in \`ack\` or \`error\`. A frame that cannot be taken costs only itself. Several sockets may watch one session.`;

/** Why the service closes a socket. */
const CLOSE_CODES = {
  '1001': 'The service shuts down: reconnect, elsewhere too, with `?after=`.',
  '1008': 'Not allowed, or the first frame was not of the expected form; an `error` event before it says why.',
  '1009': 'A frame was larger than the service takes.',
  '1011': 'A fault of the service.',
  '1013': 'A limit is reached, or nothing can be kept now: try again later.',
  '4401': 'No valid key or ticket.',
  '4404': 'There is no such session, or it has ended.',
  '4408': 'The client reads too slowly.',
};

const BINDING = {
  ws: {
    method: 'GET',
    query: {
      type: 'object',
      properties: {
        ticket: { type: 'string', description: 'In place of a key, from `POST …/tickets`; works once.' },
        after: {
          type: 'integer',
          minimum: 0,
          description:
            'Replays the log after this `seq` first. Without it only what is new is told; so it is when there is no such event, after an `error` that says so.',
        },
      },
    },
    headers: {
      type: 'object',
      properties: {
        Authorization: { type: 'string', description: '`Bearer <key>`.' },
        'Sec-WebSocket-Protocol': {
          type: 'string',
          description: '`toolexec.v1`; browsers, which cannot set `Authorization`, add `toolexec.key.<base64url of the key>`.',
          examples: ['toolexec.v1', 'toolexec.v1, toolexec.key.c2VjcmV0LWtleQ'],
        },
        Origin: {
          type: 'string',
          description: "Of pages: the service's own, or one that the operator allows. Any other is refused before the upgrade.",
        },
      },
    },
    bindingVersion: '0.1.0',
  },
};

export function asyncapiDocument({ version }: { version: string }): object {
  const server = describeMessages(SERVER_MESSAGES);
  const client = describeMessages(CLIENT_MESSAGES);
  const opening = describeMessages(OPENING_MESSAGES);
  const channels = {
    session_stream: {
      ...channel('/v1/sessions/{id}/stream', 'The socket of a session that is there.', [server, client]),
      parameters: { id: { description: 'Id of the session.' } },
    },
    new_session_stream: channel(
      '/v1/stream',
      'A socket that makes its own session: the first frame is `open`. The session lives on after the socket, until its time is over.',
      [opening, server, client],
    ),
  };
  return {
    asyncapi: '3.0.0',
    info: { title: 'toolexec', version, description: DESCRIPTION, license: { name: 'Apache-2.0' } },
    defaultContentType: 'application/json',
    servers: {
      local: {
        host: '127.0.0.1:8080',
        protocol: 'ws',
        description: 'Where the service listens unless it is told otherwise. It sends a ping every 25 seconds.',
        security: [{ $ref: '#/components/securitySchemes/key' }, { $ref: '#/components/securitySchemes/subprotocol' }],
      },
    },
    channels,
    operations: {
      send_events: operation('send', 'session_stream', server),
      take_frames: operation('receive', 'session_stream', client),
      send_new_session_events: operation('send', 'new_session_stream', server),
      take_new_session_frames: operation('receive', 'new_session_stream', { ...opening, ...client }),
    },
    components: {
      messages: { ...server, ...client, ...opening },
      schemas: { ...payloads('output', server), ...payloads('input', { ...opening, ...client }) },
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'Needed as soon as the operator has set keys.' },
        subprotocol: {
          type: 'httpApiKey',
          name: 'Sec-WebSocket-Protocol',
          in: 'header',
          description: 'The key as `toolexec.key.<base64url>`.',
        },
      },
    },
  };
}

function channel(address: string, description: string, messages: readonly Record<string, object>[]): object {
  const names = messages.flatMap((group) => Object.keys(group));
  return {
    address,
    description,
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    bindings: BINDING,
    'x-subprotocols': ['toolexec.v1'],
    'x-close-codes': CLOSE_CODES,
  };
}

/** `send` is what the service does. */
function operation(action: 'send' | 'receive', channelName: string, messages: Record<string, object>): object {
  return {
    action,
    channel: { $ref: `#/channels/${channelName}` },
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${channelName}/messages/${name}` })),
  };
}

/** The schemas that these messages refer to, by name. */
function payloads(io: 'input' | 'output', messages: Record<string, object>): Record<string, object> {
  const schemas = namedSchemas(io);
  const names = [...referredSchemas(messages, schemas)].toSorted();
  return Object.fromEntries(names.map((name) => [name, schemas[name] ?? {}]));
}
