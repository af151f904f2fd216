import { lookOfOutcome } from '../model/outcomes.ts';

/** A word with a sign and a colour of its own. */
export function OutcomeTag({ outcome }: { outcome: string }) {
  const { tone, sign, word } = lookOfOutcome(outcome);
  return (
    <span class="tag" data-tone={tone}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

const BEHAVIORS = { allow: ['ok', '✓'], ask: ['waiting', '!'], deny: ['denied', '⊘'] } as const;

export function BehaviorTag({ behavior }: { behavior: 'allow' | 'ask' | 'deny' }) {
  const [tone, sign] = BEHAVIORS[behavior];
  return (
    <span class="tag" data-tone={tone}>
      <span aria-hidden="true">{sign}</span> {behavior}
    </span>
  );
}
