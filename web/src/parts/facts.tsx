/** What is known of something, name by name. */
export function Facts({ facts }: { facts: Readonly<Record<string, string>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts).map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      ))}
    </dl>
  );
}
