import { untilAborted } from '../contract/index.ts';
import type { AutoClassifier } from './matter.ts';

/** Milliseconds a classifier may take before it counts as unsure. */
const PATIENCE_MS = 10_000;

/** Asks the classifier. One that fails, is late, or gets nothing to see is unsure. */
export async function classify(classifier: AutoClassifier, text: string): Promise<'allow' | 'deny' | 'unsure'> {
  if (text === '') return 'unsure';
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const verdict = await untilAborted(classifier.judge(text, signal), signal);
    return verdict === 'allow' || verdict === 'deny' ? verdict : 'unsure';
  } catch {
    // Who cannot be reached has not said yes.
    return 'unsure';
  }
}
