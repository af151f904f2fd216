// One turn of an agent's session. Whoever wants the agent hears of its events, and is asked where one of its calls needs a yes.
import type { People, ToolResultBlock, ToolUse } from '../../contract/index.ts';
import { answerApprovals } from '../people/answer-approvals.ts';
import { withBoundName } from '../input/bound-name.ts';
import type { LogItem } from '../log/log-reader.ts';
import type { Session } from '../session.ts';
import { eachEvent } from '../turn/turn-events.ts';
import type { Turn } from '../turn/turn.ts';

export interface ChildTurn {
  readonly calls: readonly ToolUse[];
  readonly signal: AbortSignal;
  readonly people: Pick<People, 'approve'>;
  /** Must not throw. */
  readonly onEvent: (event: Readonly<Record<string, unknown>>) => void;
}

export interface ChildTurnEnd {
  readonly content: readonly ToolResultBlock[];
  readonly stop?: { readonly reason: string };
}

/**
 * Runs the calls to their end, in call order; stopping them is up to `signal`, and gives their results all the same.
 * @returns one result a call, and why a hook ended the turn, if one did
 * @throws Problem `draining`, `store-unavailable`, `session-not-found`
 */
export async function runChildTurn(child: Session, request: ChildTurn): Promise<ChildTurnEnd> {
  const { callsPerTurn } = child.parts.limits;
  const turn = child.startTurn('anthropic', request.calls.slice(0, callsPerTurn).map(withBoundName));
  const abort = (): void => turn.abort('The agent was stopped.');
  request.signal.addEventListener('abort', abort, { once: true });
  if (request.signal.aborted) abort();
  const followed = follow(child, turn, request);
  try {
    const { turn: summary } = await turn.done;
    await followed;
    const content = [...turn.record.calls.values()].flatMap(({ result }) => result ?? []);
    const refused = request.calls.slice(callsPerTurn).map(({ id }) => tooMany(id, callsPerTurn));
    return { content: [...content, ...refused], ...(summary.stop !== null && { stop: summary.stop }) };
  } finally {
    request.signal.removeEventListener('abort', abort);
  }
}

/** Resolves when the turn has ended. Never throws. */
function follow(child: Session, turn: Turn, { people, onEvent, signal }: ChildTurn): Promise<void> {
  /** Takes back questions that were passed on and then answered in the session itself. */
  const open = new Map<unknown, AbortController>();
  const tell = ({ json }: LogItem): void => {
    const event = JSON.parse(json) as Readonly<Record<string, unknown>>;
    onEvent(event);
    if (event['type'] === 'approval_resolved') open.get(event['approval_id'])?.abort();
    if (event['type'] !== 'approval_requested' || signal.aborted) return;
    const asked = event['approval'] as Asked;
    const answered = new AbortController();
    open.set(asked.id, answered);
    void ask(child, asked, { people, signal: answered.signal });
  };
  return eachEvent(child, turn, { tell });
}

interface Asked {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly reason: string;
}

/** Passes the question on. One that was answered meanwhile, or cannot be asked, stays as it is until its time is over. */
async function ask(
  child: Session,
  { id, name, input, reason }: Asked,
  { people, signal }: Pick<ChildTurn, 'people' | 'signal'>,
): Promise<void> {
  try {
    const answer = await people.approve({ reason: `An agent wants to use ${name}: ${reason}`, input, name, signal });
    if (signal.aborted) return;
    await answerApprovals(child, [
      {
        approvalId: id,
        behavior: answer.behavior,
        ...(answer.message !== undefined && { message: answer.message }),
        ...(answer.updatedInput !== undefined && { updatedInput: answer.updatedInput }),
      },
    ]);
  } catch {
    // Answered by somebody else at the session of the agent, or withdrawn: nothing is left to answer.
  }
}

function tooMany(id: string, most: number): ToolResultBlock {
  const content = `It was not run: at most ${most} calls of one message are. Send it again in the next one, if it is still needed.`;
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}
