import type { Signal } from '@preact/signals';
import { ruleNote } from '../model/rule-note.ts';
import type { Approval } from '../model/wire.ts';

/** Rules that would let such calls run from now on, to become rules of the session together with the answer. */
export function Suggestions({ approval, chosen }: { approval: Approval; chosen: Signal<readonly number[]> }) {
  if (approval.suggestions.length === 0) return null;
  const toggle = (index: number): void => {
    chosen.value = chosen.value.includes(index) ? chosen.value.filter((other) => other !== index) : [...chosen.value, index];
  };
  return (
    <fieldset class="suggestions">
      <legend>Remember for this session</legend>
      {approval.suggestions.map(({ rule }, index) => (
        <label key={rule}>
          <input type="checkbox" checked={chosen.value.includes(index)} onChange={() => toggle(index)} /> allow <code>{rule}</code>{' '}
          <RuleNote rule={rule} />
        </label>
      ))}
    </fieldset>
  );
}

function RuleNote({ rule }: { rule: string }) {
  const note = ruleNote(rule);
  return note === null ? null : <span class="hint">({note})</span>;
}
