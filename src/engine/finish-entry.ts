// A call's ending as the model and its readers get it: with what hooks want the model to know.
import { messageOf } from '../contract/index.ts';
import type { CallEnding } from './call/call-case.ts';
import type { Entry } from './entry.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { finishCall, type CallFinish } from './finish/finish-call.ts';
import { withNotes } from './call/hear-hooks.ts';
import { plainView } from './prepare/observable.ts';

type Turn = Pick<ExecutionOptions, 'outputs' | 'turnId' | 'notes'>;

/** Never throws. */
export async function finishEntry(entry: Entry, ending: CallEnding, turn: Turn): Promise<{ ending: CallEnding; finish: CallFinish }> {
  const { outputs, turnId, notes: before = [] } = turn;
  const { prepared, use, index } = entry;
  const notes = [...(index === 0 ? before : []), ...(ending.notes ?? [])];
  const input = prepared.kind === 'ready' ? prepared.input : use.input;
  const request = { use, tool: prepared.tool, input, outputs, outputFile: outputs.pathFor(turnId, index) };
  try {
    const finish = await finishCall({ ...request, ending });
    return { ending, finish: { ...finish, content: withNotes(finish.content, notes), view: plainView(finish.view, use.name) } };
  } catch (error) {
    // A result that cannot even be read costs its own call, and no other.
    const failed: CallEnding = { outcome: 'tool_error', message: `The result could not be read: ${messageOf(error)}`, modifiers: [] };
    return { ending: failed, finish: await finishCall({ ...request, ending: failed }) };
  }
}
