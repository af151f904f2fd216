// What a running call may ask of people and of the session's client. One that waits for them gives its place away.
import type { ApprovalAnswer, EngineEvent, OpenApproval, People, ToolUse } from '../contract/index.ts';
import type { Guards } from './call-case.ts';
import type { CallStop } from './call-stop.ts';
import type { Slots } from './slots.ts';

/** A call as it turns to those outside. */
export interface Asking {
  readonly use: ToolUse;
  readonly turnId: string;
  readonly guards: Pick<Guards, 'approvals' | 'client'>;
  readonly stop: CallStop;
  readonly tell: (event: EngineEvent) => void;
}

/** The answer to a question that was put to people; a call that is stopped meanwhile takes it back. */
export async function answerOf({ stop, guards, tell }: Omit<Asking, 'use' | 'turnId'>, open: OpenApproval): Promise<ApprovalAnswer> {
  const { id } = open.summary;
  stop.unlimit();
  if (!open.told) tell({ type: 'approval_requested', approval: open.summary });
  const answer = await Promise.race([open.answer, stop.stopped.then(() => null)]);
  if (answer === null) guards.approvals.withdraw(id, stop.reason?.kind === 'discarded' ? 'discard' : 'abort');
  const given = answer ?? (await open.answer);
  tell({ type: 'approval_resolved', approval_id: id, behavior: given.behavior, by: given.by });
  return given;
}

/** Those outside, for a call that runs. Time that people take does not count; the client has that of the call. */
export function peopleFor(asking: Asking & { slots: Slots; timeoutMs: number; progress: (data: unknown) => void }): People {
  const { use, turnId, guards, stop, slots, timeoutMs, tell, progress } = asking;
  return {
    async approve({ reason, input = {} }) {
      const open = guards.approvals.ask({ turnId, toolUseId: use.id, name: use.name, input, reason, suggestions: [] });
      if (open === null) return { behavior: 'deny', by: 'settings' };
      const answer = await slots.giveAway(() => answerOf(asking, open));
      stop.limit(timeoutMs);
      return answer;
    },
    async callClient(input) {
      const open = guards.client.open({ turnId, toolUseId: use.id, name: use.name, input, onProgress: progress });
      if (!open.told) tell({ type: 'client_call', tool_use_id: use.id, name: use.name, input });
      const answer = await slots.giveAway(() => Promise.race([open.answer, stop.stopped.then(() => null)]));
      if (answer !== null) return answer;
      guards.client.withdraw(turnId, use.id);
      throw new Error(stop.reason?.message ?? 'The call was stopped.');
    },
  };
}
