import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { diffLines } from '../model/diff-lines.ts';

/** Lines that are drawn at first. */
const FIRST = 400;
const SIGNS = { added: '+', removed: '−', same: ' ', hunk: '', note: '' } as const;

export function DiffView({ path, diff }: { path: string; diff: string }) {
  const limit = useSignal(FIRST);
  const lines = useMemo(() => diffLines(diff, limit.value), [diff, limit.value]);
  return (
    <figure class="diff">
      <figcaption class="path">{path}</figcaption>
      <div class="scroll" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
        <table>
          <tbody>
            {lines.map(({ kind, text, before, after }, index) => (
              <tr key={index} data-kind={kind}>
                <td class="number">{before}</td>
                <td class="number">{after}</td>
                <td class="code">
                  <span class="mark">{SIGNS[kind]}</span>
                  {text}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {lines.length > limit.value && (
        <button type="button" onClick={() => (limit.value *= 5)}>
          More lines
        </button>
      )}
    </figure>
  );
}
