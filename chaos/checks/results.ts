// What results say: of their own session alone, and what a call that went well must say.
import type { PlannedCall } from '../plan/calls.ts';
import type { CallFacts } from './call-facts.ts';

const NEVER = ['invalid_input', 'unknown_tool', 'timed_out'];

/** @returns what is wrong, a sentence each */
export function faultsOfResults(tag: string, calls: readonly PlannedCall[], facts: ReadonlyMap<string, CallFacts>): string[] {
  return calls.flatMap((call) => {
    const { outcome, text = '' } = facts.get(call.id) ?? {};
    if (outcome === undefined) return [];
    const faults: string[] = [];
    const foreign = (text.match(/x\d+s\d+/g) ?? []).filter((found) => found !== tag);
    if (foreign.length > 0) faults.push(`the result of ${call.id} speaks of ${foreign[0]}, another session`);
    if (NEVER.includes(outcome)) faults.push(`${call.kind} ${call.id} ended with ${outcome}: ${text.slice(0, 200)}`);
    if (outcome === 'ok' && call.name === 'Bash' && !text.includes(`${tag} ${call.id}`))
      faults.push(`the result of ${call.id} lacks what it printed: ${text.slice(0, 200)}`);
    if (outcome === 'ok' && call.kind === 'once-fails') faults.push(`${call.id} was to fail, and went well`);
    if (outcome === 'ok' && call.answer === 'deny') faults.push(`${call.id} was denied, and went well`);
    return faults;
  });
}

/** What tells errors apart that nobody planned; `undefined` for those that were planned. */
export function unplannedError({ kind, name }: PlannedCall, { outcome, text = '' }: CallFacts): string | undefined {
  if (outcome !== 'tool_error' || kind === 'once-fails') return undefined;
  return `${name}: ${text
    .replaceAll(/<\/?tool_use_error>/g, '')
    .replaceAll(/\/\S+/g, '…')
    .replaceAll(/x\d+s\d+\w*/g, '…')
    .slice(0, 110)}`;
}
