// Approvals: what waits for people, and their answers, one or several at a time.
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ownerOf } from '../src/plugins/auth.ts';
import { Approval } from '../src/plugins/wire-schemas.ts';
import { approvalAnswer, type ApprovalAnswerBody } from '../src/sessions/client-frames.ts';
import { answerApprovals, type ApprovalReply } from '../src/sessions/answer-approvals.ts';
import { problems, SessionParams } from './schemas.ts';

const approval_id = z.string().max(100).describe('Id of the approval.');
const Answer = z.looseObject(approvalAnswer);
const Answered = z.object({ approval_id: z.string(), behavior: z.enum(['allow', 'deny']) });
/** Answers that one request may give. */
const MAX_DECISIONS = 1_000;

export function approvalRoutes(server: FastifyInstance): void {
  const app = server.withTypeProvider<ZodTypeProvider>();
  const { sessions } = server.services;

  app.get(
    '/v1/sessions/:id/approvals',
    {
      schema: {
        summary: 'List the approvals that wait for an answer',
        tags: ['approvals'],
        params: SessionParams,
        response: { 200: z.object({ data: z.array(Approval) }), ...problems },
      },
    },
    async (request) => ({ data: (await sessions.get(ownerOf(request), request.params.id)).approvals.pending }),
  );

  app.post(
    '/v1/sessions/:id/approvals/:approval_id',
    {
      schema: {
        summary: 'Answer an approval',
        tags: ['approvals'],
        params: SessionParams.extend({ approval_id }),
        body: Answer,
        response: { 200: Answered, ...problems },
      },
    },
    async (request) => {
      const session = await sessions.get(ownerOf(request), request.params.id);
      const { behavior } = request.body;
      await answerApprovals(session, [approvalReply(request.params.approval_id, request.body)]);
      return { approval_id: request.params.approval_id, behavior };
    },
  );

  app.post(
    '/v1/sessions/:id/approvals',
    {
      schema: {
        summary: 'Answer several approvals: all of them, or none',
        tags: ['approvals'],
        params: SessionParams,
        body: z.object({ decisions: z.array(Answer.extend({ approval_id })).min(1).max(MAX_DECISIONS) }),
        response: { 200: z.object({ data: z.array(Answered) }), ...problems },
      },
    },
    async (request) => {
      const session = await sessions.get(ownerOf(request), request.params.id);
      const { decisions } = request.body;
      await answerApprovals(
        session,
        decisions.map((decision) => approvalReply(decision.approval_id, decision)),
      );
      return { data: decisions.map(({ approval_id: id, behavior }) => ({ approval_id: id, behavior })) };
    },
  );
}

/** An answer as it travels, in the words of the session. */
export function approvalReply(approvalId: string, answer: ApprovalAnswerBody): ApprovalReply {
  const { behavior, updated_input: updatedInput, message, remember, apply_suggestions: applySuggestions } = answer;
  return {
    approvalId,
    behavior,
    ...(updatedInput !== undefined && { updatedInput }),
    ...(message !== undefined && { message }),
    ...(remember !== undefined && { remember }),
    ...(applySuggestions !== undefined && { applySuggestions }),
  };
}
