const TONES = [
  ['ok', '✓ ok'],
  ['error', '✕ error'],
  ['denied', '⊘ denied'],
  ['stopped', '■ stopped'],
  ['unknown', '? unknown'],
  ['running', '▸ running'],
] as const;

/** What the bars mean. */
export function Legend() {
  return (
    <ul class="legend" aria-label="Legend">
      <li>
        <i class="piece" data-kind="queued" /> queued
      </li>
      <li>
        <i class="piece" data-kind="waiting" /> ! asks somebody
      </li>
      {TONES.map(([tone, word]) => (
        <li key={tone} data-tone={tone}>
          <i class="piece" data-kind="running" /> {word}
        </li>
      ))}
      <li>
        <i class="piece" data-kind="held" /> done, waits its turn
      </li>
      <li>
        <i class="release" /> result goes out
      </li>
      <li>
        <i class="fold" /> ⋯ idle time, drawn short
      </li>
    </ul>
  );
}
