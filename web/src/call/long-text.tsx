import { useSignal } from '@preact/signals';

/** Characters that are drawn at first. */
const FIRST = 20_000;

interface LongTextProps {
  readonly text: string;
  /** `prose` wraps as words do; `terminal` looks like one. */
  readonly kind: 'plain' | 'prose' | 'terminal';
}

/** Text as it is, never as markup: a model or a program has written it. */
export function LongText({ text, kind }: LongTextProps) {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? text : text.slice(0, FIRST);
  return (
    <>
      <pre class={`text-${kind}`} tabIndex={0}>
        {shown}
      </pre>
      {shown.length < text.length && (
        <button type="button" onClick={() => (isWhole.value = true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}
