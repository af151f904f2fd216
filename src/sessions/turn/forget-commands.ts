import type { CommandRunner } from '../../contract/index.ts';
import type { SessionPlace } from '../session-parts.ts';
import type { TurnRecord } from './turn-record.ts';

interface Host {
  readonly place: SessionPlace;
  readonly guard: { readonly runner: CommandRunner };
  readonly services: { readonly tasks: { owns(outputFile: string): boolean } };
}

/** Results of these calls are in the log: nobody has to ask any more how their commands ended. Never rejects. */
export async function forgetCommands({ id, calls }: TurnRecord, { place, guard, services }: Host): Promise<void> {
  for (const { effect, index, outcome } of calls.values()) {
    const outputFile = place.outputs.pathFor(id, index);
    // One of which nobody knows more goes when it is settled, or with the session; one in the background with its task.
    if (effect === 'once' && outcome !== 'outcome_unknown' && !services.tasks.owns(outputFile)) await guard.runner.forget(outputFile);
  }
}
