// A message in a session of its own, which is made for it and goes after it.
import type { FastifyRequest } from 'fastify';
import { ownerOf } from '../src/plugins/access/auth.ts';
import { clientGone } from '../src/plugins/client-gone.ts';
import type { App } from '../src/plugins/services.ts';
import type { LogItem } from '../src/sessions/log/log-reader.ts';
import { SessionOptions, type SessionSettings } from '../src/sessions/settings/session-options.ts';
import type { TurnReply } from '../src/sessions/turn/turn.ts';
import { sendEventStream } from './event-stream.ts';
import { sendJson } from './json-reply.ts';
import { oneShotRuns, withoutPeople } from './one-shot-runs.ts';
import { wantsEventStream } from './preferences.ts';
import { FormatQuery, MessageReply, OneShotMessage, problems } from './schemas.ts';
import { markReplayed, readMessage } from './submissions.ts';

export function oneShotRoutes(app: App): void {
  const run = oneShotRuns(app);

  app.post(
    '/v1/messages',
    {
      config: { idempotent: true },
      schema: {
        summary: 'Run an assistant message in a session made for it alone',
        tags: ['messages'],
        querystring: FormatQuery,
        body: OneShotMessage,
        response: { 200: MessageReply, ...problems },
      },
    },
    async (request, reply) => {
      const message = readMessage(request.body, request.query.format);
      const streams = wantsEventStream(request);
      if (streams) app.eventStreams.assertRoom(ownerOf(request));
      const { submission, events, settled, end } = await run(request, message, settingsOf(request, request.body.session));
      markReplayed(reply, submission);
      if (streams) {
        const signal = clientGone(reply);
        return sendEventStream(reply, eventsThen(events(signal), end), signal);
      }
      let body: TurnReply;
      try {
        body = await settled();
      } finally {
        await end();
      }
      return sendJson(reply, body);
    },
  );
}

/** Only a client that reads along can be asked whether a call may run, or to run one. @throws Problem `invalid-request` */
function settingsOf(request: FastifyRequest, asked: SessionSettings = SessionOptions.parse({})): SessionSettings {
  return wantsEventStream(request) ? asked : withoutPeople(asked);
}

async function* eventsThen(events: AsyncIterable<LogItem[]>, end: () => Promise<void>): AsyncGenerator<LogItem[], void> {
  try {
    yield* events;
  } finally {
    await end();
  }
}
