// A session's log: as a stream from a point on, or as JSON up to now.
import { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { clientGone } from '../src/plugins/client-gone.ts';
import type { LogItem } from '../src/sessions/log/log-reader.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { sendEventStream } from './event-stream.ts';
import { sendJson } from './json-reply.ts';
import { wantsJson } from './preferences.ts';
import { problems, SessionParams } from './schemas.ts';

/** What a JSON reply holds at most; the client asks again for more. */
const PAGE = { events: 1_000, chars: 8_000_000 };

export function eventRoutes(app: App): void {
  app.get(
    '/v1/sessions/:id/events',
    {
      config: { ticket: true },
      schema: {
        summary: "Read the session's log, as Server-Sent Events or JSON",
        tags: ['events'],
        params: SessionParams,
        querystring: z.object({
          after: z.coerce.number().int().min(0).optional().describe('Events with a greater seq; `Last-Event-ID` does the same.'),
          ticket: z.string().max(100).optional().describe('In place of a key, from `POST …/tickets`.'),
          follow: z.enum(['true', 'false']).default('true').describe('`false` ends the stream at the present.'),
        }),
        response: { 200: z.object({ data: z.array(z.record(z.string(), z.unknown())), last_seq: z.int() }), ...problems },
      },
    },
    async (request, reply) => {
      const session = await sessionOf(request);
      const after = request.query.after ?? lastEventId(request.headers['last-event-id']);
      assertInLog(after, session.log.lastSeq);
      const signal = clientGone(reply);
      if (!wantsJson(request)) {
        app.eventStreams.assertRoom(session.owner);
        return sendEventStream(reply, session.log.read({ after, follow: request.query.follow === 'true', signal }), signal);
      }
      const events = await firstPage(session.log.read({ after, follow: false, signal }));
      return sendJson(reply, `{"data":[${events.join(',')}],"last_seq":${session.log.lastSeq}}`);
    },
  );
}

/** Progress that happens to pass by is not of the log. */
async function firstPage(batches: AsyncIterable<LogItem[]>): Promise<string[]> {
  const page: string[] = [];
  let chars = 0;
  for await (const items of batches) {
    for (const { json, type } of items) {
      if (type === 'progress') continue;
      chars += json.length;
      if (page.length > 0 && chars > PAGE.chars) return page;
      if (page.push(json) === PAGE.events) return page;
    }
  }
  return page;
}

/** A reader that waits behind the end of the log would never be told anything. @throws Problem `invalid-request` */
export function assertInLog(after: number, lastSeq: number): void {
  if (after <= lastSeq) return;
  throw new Problem('invalid-request', `The log ends with seq ${lastSeq}, so there is nothing after ${after}: give the seq of an event.`);
}

function lastEventId(header: string | string[] | undefined): number {
  if (header === undefined || header === '') return 0;
  const seq = Number(header);
  if (!Number.isSafeInteger(seq) || seq < 0)
    throw new Problem('invalid-request', 'Last-Event-ID must be the seq of an event, a whole number.');
  return seq;
}
