import { stat } from 'node:fs/promises';
import { atOneMoment, type CallContext } from '../../contract/index.ts';

export interface StartDirectory {
  readonly cwd: string;
  /** What the model must know about it. */
  readonly note?: string;
}

const looked = atOneMoment<boolean>();

/** The session's directory, or the workspace when that is gone. */
export async function startDirectory({ state, workspace }: CallContext): Promise<StartDirectory> {
  if (await looked(state.cwd, () => isDirectory(state.cwd))) return { cwd: state.cwd };
  return { cwd: workspace, note: `The working directory ${state.cwd} no longer exists: the command ran in ${workspace}.` };
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
