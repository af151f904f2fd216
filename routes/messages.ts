// A whole assistant message: run it, and answer as JSON, as a stream of events, or at once.
import { clientGone } from '../src/plugins/client-gone.ts';
import { cutOffSlowClients } from '../src/plugins/limits/cut-off.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { submitMessage } from '../src/sessions/input/submit.ts';
import { turnEvents } from '../src/sessions/turn/turn-events.ts';
import { sendEventStream } from './event-stream.ts';
import { sendJson } from './json-reply.ts';
import { oneShotRoutes } from './one-shot.ts';
import { prefersAsync, wantsEventStream } from './preferences.ts';
import { AssistantMessage, FormatQuery, MessageReply, problems, SessionParams } from './schemas.ts';
import { markReplayed, readMessage, settled, submitOnce } from './submissions.ts';

export function messageRoutes(app: App): void {
  cutOffSlowClients(app);
  oneShotRoutes(app);

  app.post(
    '/v1/sessions/:id/messages',
    {
      config: { idempotent: true },
      schema: {
        summary: 'Run the tool calls of an assistant message',
        tags: ['messages'],
        params: SessionParams,
        querystring: FormatQuery,
        body: AssistantMessage,
        response: { 200: MessageReply, 202: MessageReply, ...problems },
      },
    },
    async (request, reply) => {
      const session = await sessionOf(request);
      const { format, calls } = readMessage(request.body, request.query.format);
      const streams = wantsEventStream(request);
      if (streams) app.eventStreams.assertRoom(session.owner);
      const submission = await submitOnce(request, session, { format, submit: () => submitMessage(session, format, calls) });
      markReplayed(reply, submission);
      if (streams) {
        const signal = clientGone(reply);
        return sendEventStream(reply, turnEvents(session, submission, signal), signal);
      }
      if (submission.kind === 'live' && prefersAsync(request)) {
        const { turn } = submission;
        await session.keepQueued(turn);
        void reply.header('location', `/v1/sessions/${session.id}/turns/${turn.id}`).header('preference-applied', 'respond-async');
        return sendJson(reply.status(202), { messages: [], turn: turn.summary() });
      }
      return sendJson(reply, await settled(session, submission, format));
    },
  );
}
