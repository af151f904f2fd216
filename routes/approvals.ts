// Approvals: what waits for people, and their answers, one or several at a time.
import { z } from 'zod';
import { Problem } from '../src/contract/index.ts';
import { sessionOf, type App } from '../src/plugins/services.ts';
import { Approval } from '../src/plugins/documents/wire-schemas.ts';
import { approvalAnswer, type ApprovalAnswerBody } from '../src/sessions/input/client-frames.ts';
import { answerApprovals, type ApprovalReply } from '../src/sessions/people/answer-approvals.ts';
import { problems, SessionParams } from './schemas.ts';

const approval_id = z.string().max(100).describe('Id of the approval.');
/** What a socket's frame says beside the answer: who sends the frame itself is understood. */
const frameKeys = { type: z.literal('approval').optional(), ref: z.unknown().optional() };
/** A key that is not known may be a misspelt one, whose answer would hold less or more than was meant. */
const Answer = z.strictObject({ ...approvalAnswer, ...frameKeys, approval_id: approval_id.optional() });
const Decision = z.strictObject({ ...approvalAnswer, ...frameKeys, approval_id });
const Answered = z.object({ approval_id: z.string(), behavior: z.enum(['allow', 'deny']) });
/** Answers that one request may give. */
const MAX_DECISIONS = 1_000;

export function approvalRoutes(app: App): void {
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
    async (request) => ({ data: (await sessionOf(request)).approvals.pending }),
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
      const session = await sessionOf(request);
      const { approval_id: id } = request.params;
      const { behavior, approval_id: named = id } = request.body;
      if (named !== id) throw otherApproval(id);
      await answerApprovals(session, [approvalReply(id, request.body)]);
      return { approval_id: id, behavior };
    },
  );

  app.post(
    '/v1/sessions/:id/approvals',
    {
      schema: {
        summary: 'Answer several approvals: all of them, or none',
        tags: ['approvals'],
        params: SessionParams,
        body: z.strictObject({ decisions: z.array(Decision).min(1).max(MAX_DECISIONS) }),
        response: { 200: z.object({ data: z.array(Answered) }), ...problems },
      },
    },
    async (request) => {
      const session = await sessionOf(request);
      const { decisions } = request.body;
      await answerApprovals(
        session,
        decisions.map((decision) => approvalReply(decision.approval_id, decision)),
      );
      return { data: decisions.map(({ approval_id: id, behavior }) => ({ approval_id: id, behavior })) };
    },
  );
}

function otherApproval(id: string): Problem {
  return new Problem('invalid-request', 'The body is about another approval than the path.', {
    issues: [{ path: 'approval_id', message: `Give ${id}, or leave it out.` }],
  });
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
