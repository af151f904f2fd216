// One tool run by its name: the simplest way in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { inputFromArguments } from '../src/formats/call-input.ts';
import type {} from '../src/plugins/nodes/any-node.ts';
import { ownerOf } from '../src/plugins/access/auth.ts';
import { cutOffSlowClients } from '../src/plugins/limits/cut-off.ts';
import type { App } from '../src/plugins/services.ts';
import { beginOneCall, readOneCall, withNewId, type NamedCall, type OneCallResult } from '../src/sessions/input/one-call.ts';
import type { Session } from '../src/sessions/session.ts';
import { SessionOptions } from '../src/sessions/settings/session-options.ts';
import type { Submission } from '../src/sessions/input/submit.ts';
import { sendJson } from './json-reply.ts';
import { oneShotRuns, withoutPeople } from './one-shot-runs.ts';
import { CallReply, CallRequest, problems } from './schemas.ts';
import { markReplayed, settled, submitOnce } from './submissions.ts';

/** In which results are read back: that of the contract itself. */
const FORMAT = 'anthropic';

export function callRoutes(app: App): void {
  cutOffSlowClients(app);
  const runAlone = oneShotRuns(app);

  app.post(
    '/v1/call',
    {
      config: { idempotent: true, sessionIn: 'body' },
      schema: {
        summary: 'Run one tool by its name',
        tags: ['tools'],
        body: CallRequest,
        response: { 200: CallReply, ...problems },
      },
    },
    async (request, reply) => {
      const { session_id: sessionId, session: options } = request.body;
      const call = callOf(request.body);
      if (sessionId === undefined) return answerAlone(request, reply, call);
      if (options !== undefined) {
        throw new Problem('invalid-request', 'Options are of a new session: leave out session_id, or change that session with PATCH.');
      }
      const session = await app.services.sessions.get(ownerOf(request), sessionId);
      const submission = await begin(request, session, call);
      const result = readOneCall(await settled(session, submission, FORMAT));
      return send(reply, submission, { ...bodyOf(result), turn_id: result.turnId });
    },
  );

  /** In a session of its own, where nobody is asked. */
  async function answerAlone(request: FastifyRequest<{ Body: CallBody }>, reply: FastifyReply, call: NamedCall): Promise<FastifyReply> {
    const settings = withoutPeople(request.body.session ?? SessionOptions.parse({}));
    const run = await runAlone(request, { format: FORMAT, calls: [withNewId(call)] }, settings);
    let result: OneCallResult;
    try {
      result = readOneCall(await run.settled());
    } finally {
      await run.end();
    }
    return send(reply, run.submission, bodyOf(result));
  }
}

type CallBody = z.output<typeof CallRequest>;

function callOf({ name, arguments: given }: CallBody): NamedCall {
  return { name, ...inputFromArguments(given) };
}

function begin(request: FastifyRequest, session: Session, call: NamedCall): Promise<Submission> {
  const submit = async (): Promise<Submission> => ({ kind: 'live', turn: beginOneCall(session, call, FORMAT).turn, replayed: false });
  return submitOnce(request, session, { format: FORMAT, submit });
}

function bodyOf({ content, isError, outcome, coerced, pending }: OneCallResult) {
  return { result: content, is_error: isError, outcome, coerced, ...(pending.length > 0 && { pending }) };
}

function send(reply: FastifyReply, submission: Submission, body: object): FastifyReply {
  markReplayed(reply, submission);
  return sendJson(reply, body);
}
