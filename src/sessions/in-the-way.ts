import type { TaskSummary } from '../contract/index.ts';
import type { ChildOf } from './child.ts';

interface Looked {
  readonly busy: boolean;
  readonly child: ChildOf | undefined;
  readonly tasks: { list(): readonly TaskSummary[] };
}

/** Why files of a session cannot be put back now, in words for its client; `undefined` when they can. */
export function inTheWay({ busy, child, tasks }: Looked): string | undefined {
  if (child !== undefined)
    return `This is the session of an agent, which works in the directory of session ${child.root.sessionId}: do it there.`;
  if (busy) return 'A turn of the session runs or waits: abort it, or wait for its end.';
  const agent = tasks.list().find(({ kind, status }) => kind === 'agent' && status === 'running');
  if (agent !== undefined) return `An agent works in the background (${agent.id}): stop it, or wait for its end.`;
  return undefined;
}
