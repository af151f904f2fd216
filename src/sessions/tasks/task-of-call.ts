import { Problem } from '../../contract/index.ts';
import type { Session } from '../session.ts';
import type { Turn } from '../turn/turn.ts';

/**
 * Lets a running call go on in the background of its session, as a task: the call is answered with the id of that.
 * @param call `turn` when that is known; else it is the newest unfinished one that has the call
 * @throws Problem `call-not-found` when it does not run, `invalid-request` when its tool cannot do that, `too-many-requests` when
 *   as many tasks run as may
 */
export function moveToBackground(session: Session, call: { toolUseId: string; turn?: Turn }): void {
  const { toolUseId, turn = session.turns.open.findLast((open) => open.has(toolUseId)) } = call;
  const running = turn?.record.calls.get(toolUseId);
  if (turn === undefined || running?.state !== 'executing') {
    throw new Problem('call-not-found', `No call ${JSON.stringify(toolUseId)} runs: it has not begun, has ended, or never was.`);
  }
  if (session.tasks.full) {
    const detail = 'As many tasks run in the background of the session as may: stop one, or wait until one has ended.';
    throw new Problem('too-many-requests', detail, { retryAfterSeconds: 1 });
  }
  if (turn.control.toBackground(toolUseId)) return;
  throw new Problem('invalid-request', `${running.name} cannot go on in the background: wait for the call, or cancel it.`);
}
