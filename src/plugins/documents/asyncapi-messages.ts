// The frames of a socket, by who sends them.
import { z } from 'zod';
import { ClientFrames } from '../../sessions/input/client-frames.ts';
import { SessionOptions } from '../../sessions/settings/session-options.ts';
import { FRAME_EXAMPLES } from './document-examples.ts';
import { schemaRef, tidySchema } from './document-schemas.ts';
import { ConnectionEvents, LiveEvents, LoggedEvents } from './event-schemas.ts';
import { StreamFrames } from './message-schemas.ts';

type Schemas = Readonly<Record<string, z.ZodType>>;

const OpenFrame = z
  .object({ type: z.literal('open'), session: SessionOptions.optional() })
  .meta({ id: 'OpenFrame', description: 'The first frame of a socket that makes its own session: the options of the session.' });

/** What the service sends. */
export const SERVER_MESSAGES: Schemas = { ...ConnectionEvents, ...LoggedEvents, ...LiveEvents };

/** What a client sends. */
export const CLIENT_MESSAGES: Schemas = {
  ...Object.fromEntries(Object.entries(ClientFrames).map(([type, schema]) => [type, schema.meta({ id: `${pascal(type)}Frame` })])),
  anthropic_stream_event: StreamFrames.anthropic,
  openai_chat_chunk: StreamFrames.openai_chat,
  openai_responses_event: StreamFrames.openai_responses,
};

/** What only the first frame may be, and only of a socket that makes its own session. */
export const OPENING_MESSAGES: Schemas = { open: OpenFrame };

/** The messages as the document has them; their payloads are among `messageSchemas`. */
export function describeMessages(messages: Schemas): Record<string, object> {
  return Object.fromEntries(
    Object.entries(messages).map(([name, schema]) => {
      const { id = name, description } = z.globalRegistry.get(schema) ?? {};
      const example = FRAME_EXAMPLES[name];
      return [
        name,
        {
          name,
          ...(description !== undefined && { summary: description }),
          payload: schemaRef(id),
          ...(example && { examples: [{ payload: example }] }),
        },
      ];
    }),
  );
}

/** All schemas that have a name, in JSON Schema draft 7, which AsyncAPI takes. */
export function namedSchemas(io: 'input' | 'output'): Record<string, object> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    target: 'draft-7',
    io,
    unrepresentable: 'any',
    uri: (id) => schemaRef(id).$ref,
    override: tidySchema,
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, { $schema: _schema, $id: _id, ...schema }]) => [name, schema]));
}

function pascal(type: string): string {
  return type.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
