// Where the next command starts.
import { realpath } from 'node:fs/promises';
import { isWithin, type CallContext, type ContextModifier } from '../../src/contract/index.ts';

export interface NextDirectory {
  readonly contextModifier?: ContextModifier;
  readonly note?: string;
}

export interface CommandPlaces {
  readonly started: string;
  readonly ended: string;
  readonly failed: boolean;
}

/** What becomes of the session's directory after a command. */
export async function nextDirectory({ started, ended, failed }: CommandPlaces, { state, workspace }: CallContext): Promise<NextDirectory> {
  if (ended === state.cwd) return {};
  if (failed) {
    return ended === started ? {} : { note: `The working directory is still ${started}: a command that fails does not change it.` };
  }
  const cwd = await realpath(ended).catch(() => null);
  if (cwd !== null && isWithin(workspace, cwd)) return { contextModifier: (current) => ({ ...current, cwd }) };
  return {
    contextModifier: (current) => ({ ...current, cwd: workspace }),
    note: `The working directory was reset to ${workspace}: ${ended} is outside the workspace.`,
  };
}
