const BEHAVIORS = { allow: ['ok', '✓'], ask: ['waiting', '!'], deny: ['denied', '⊘'] } as const;

/** What the rules say to a call: a word with a sign and a colour of its own. */
export function BehaviorTag({ behavior }: { behavior: 'allow' | 'ask' | 'deny' }) {
  const [tone, sign] = BEHAVIORS[behavior];
  return (
    <span class="tag" data-tone={tone}>
      <span aria-hidden="true">{sign}</span> {behavior}
    </span>
  );
}
