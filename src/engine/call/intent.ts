// What a tool says of a call before it has an effect: kept with the call's start, for its probe to go by after a crash.
import type { Intent } from '../../contract/index.ts';
import type { CallCase } from './call-case.ts';
import type { ClearedCall } from './judge-call.ts';

/** Characters of JSON; beyond that nothing is kept, as where a tool says nothing. */
const MAX_INTENT_CHARS = 16_000;

/** Never throws: what keeps a tool from saying it, the call itself will run into, and tell in better words. */
export async function intentOf(call: CallCase, { ready, decision }: ClearedCall): Promise<Intent | undefined> {
  const { tool, input, effect } = ready;
  if (tool.intent === undefined || (effect !== 'idempotent' && effect !== 'probe')) return undefined;
  try {
    const said: unknown = await Promise.race([tool.intent(input, call.contextFor(decision)), call.stop.stopped]);
    return isIntent(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

function isIntent(said: unknown): said is Intent {
  if (typeof said !== 'object' || said === null) return false;
  const plain = Object.values(said).every((value) => value === null || typeof value === 'string' || Number.isFinite(value));
  return plain && JSON.stringify(said).length <= MAX_INTENT_CHARS;
}
