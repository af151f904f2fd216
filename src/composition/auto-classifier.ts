// The operator's own judge of calls, for the mode `auto`: POST {"call": text} → {"verdict": "allow" | "deny" | "unsure"}.
import { z } from 'zod';
import type { AutoClassifier } from '../permissions/matter.ts';

const Answer = z.object({ verdict: z.enum(['allow', 'deny', 'unsure']) });

/** @param url the operator's, so that it may be an internal address */
export function autoClassifier(url: string): AutoClassifier {
  return {
    async judge(text, signal) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ call: text }),
        redirect: 'error',
        signal,
      });
      return response.ok ? Answer.parse(await response.json()).verdict : 'unsure';
    },
  };
}
