// Turns: what was run and what runs, and the ways to stop it.
import { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import type { Session } from '../src/sessions/session.ts';
import { abortText } from '../src/sessions/input/stream-input.ts';
import { listTurns, readTurn } from '../src/sessions/turn/turn-history.ts';
import type { Turn } from '../src/sessions/turn/turn.ts';
import { sendJson } from './json-reply.ts';
import { preferredWait } from './preferences.ts';
import { CallParams, MessageReply, PageQuery, problems, SessionParams, TurnParams, TurnReplyTurn } from './schemas.ts';

const LONGEST_WAIT_MS = 60_000;
const Accepted = z.object({ turn: TurnReplyTurn });

export function turnRoutes(app: App): void {
  app.get(
    '/v1/sessions/:id/turns',
    {
      schema: {
        summary: 'List turns, newest first',
        tags: ['turns'],
        params: SessionParams,
        querystring: PageQuery,
        response: { 200: z.object({ data: z.array(TurnReplyTurn), next_cursor: z.string().optional() }), ...problems },
      },
    },
    async (request) => listTurns(await sessionOf(request), request.query),
  );

  app.get(
    '/v1/sessions/:id/turns/:turn_id',
    {
      schema: {
        summary: 'Show a turn; with `Prefer: wait=N`, up to N seconds later',
        tags: ['turns'],
        params: TurnParams,
        response: { 200: MessageReply, ...problems },
      },
    },
    async (request, reply) => {
      const session = await sessionOf(request);
      const live = session.turns.find(request.params.turn_id);
      const waitMs = Math.min(preferredWait(request) * 1000, LONGEST_WAIT_MS);
      if (live !== undefined && waitMs > 0) await settledWithin(live, waitMs);
      const { startSeq: _, ...shown } = await readTurn(session, request.params.turn_id);
      return sendJson(reply, shown);
    },
  );

  app.post(
    '/v1/sessions/:id/turns/:turn_id/abort',
    {
      schema: {
        summary: 'Abort a turn: what runs is killed, what waits is not started',
        tags: ['turns'],
        params: TurnParams,
        body: z.object({ reason: z.string().max(1000).optional() }).nullish(),
        response: { 202: Accepted, ...problems },
      },
    },
    async (request, reply) => {
      const turn = openTurn(await sessionOf(request), request.params.turn_id);
      turn.abort(abortText(request.body?.reason));
      return reply.status(202).send({ turn: turn.summary() });
    },
  );

  app.post(
    '/v1/sessions/:id/turns/:turn_id/discard',
    {
      schema: {
        summary: 'Discard a turn: its results are dropped',
        tags: ['turns'],
        params: TurnParams,
        response: { 202: Accepted, ...problems },
      },
    },
    async (request, reply) => {
      const turn = openTurn(await sessionOf(request), request.params.turn_id);
      turn.discard();
      return reply.status(202).send({ turn: turn.summary() });
    },
  );

  app.post(
    '/v1/sessions/:id/turns/:turn_id/calls/:tool_use_id/cancel',
    {
      schema: {
        summary: 'Cancel one call: the others go on',
        tags: ['turns'],
        params: CallParams,
        response: { 202: Accepted, ...problems },
      },
    },
    async (request, reply) => {
      const { turn_id, tool_use_id } = request.params;
      const turn = openTurn(await sessionOf(request), turn_id);
      if (!turn.has(tool_use_id)) throw new Problem('call-not-found', `The turn has no call ${tool_use_id}.`);
      turn.cancel(tool_use_id);
      return reply.status(202).send({ turn: turn.summary() });
    },
  );
}

/** @throws Problem `turn-not-found` when it has ended or never was */
function openTurn(session: Session, turnId: string): Turn {
  const turn = session.turns.find(turnId);
  if (turn === undefined) throw new Problem('turn-not-found', `The session has no unfinished turn ${turnId}: it has ended, or never was.`);
  return turn;
}

async function settledWithin(turn: Turn, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  // A client that knows what is asked waits for what becomes of it.
  const over = new AbortController();
  const asked = turn.summary().status === 'requires_action' ? [] : [turn.actionNeeded(over.signal)];
  await Promise.race([turn.done.catch(() => {}), promise, ...asked]);
  clearTimeout(timer);
  over.abort();
}
