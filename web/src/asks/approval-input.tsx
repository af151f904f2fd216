import { LongText } from '../call/long-text.tsx';
import { planOf } from '../model/questions.ts';
import { pretty } from '../model/read-json.ts';

/** What is to run: single texts as they are, since that is how people read commands and plans. */
export function ApprovalInput({ input }: { input: unknown }) {
  const plan = planOf(input);
  if (plan !== null) return <LongText text={plan} kind="prose" />;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return <LongText text={pretty(input)} kind="plain" />;
  return (
    <dl class="input">
      {Object.entries(input).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <LongText text={typeof value === 'string' ? value : pretty(value)} kind="plain" />
          </dd>
        </div>
      ))}
    </dl>
  );
}
