import type { Plan } from '../../../client/src/index.ts';
import { titleOf } from '../model/call-title.ts';
import { counted } from '../model/count.ts';
import { pretty } from '../model/read-json.ts';
import { BehaviorTag } from '../parts/behavior-tag.tsx';

/** What a message would do, batch by batch. */
export function PlanTable({ plan }: { plan: Plan }) {
  const calls = new Map(plan.calls.map((call) => [call.tool_use_id, call]));
  return (
    <section class="plan" aria-label="Plan">
      <h2>
        {counted(plan.calls.length, 'call')} in {counted(plan.batches.length, 'batch', 'batches')}
      </h2>
      <ol class="batches">
        {plan.batches.map(({ concurrent, tool_use_ids: ids }, index) => (
          <li key={index} data-concurrent={concurrent}>
            <h3>
              Batch {index + 1} <span class="hint">{ids.length > 1 ? 'run together' : 'runs alone'}</span>
            </h3>
            {ids.map((id) => {
              const call = calls.get(id);
              return call === undefined ? null : <PlannedCall key={id} call={call} />;
            })}
          </li>
        ))}
      </ol>
    </section>
  );
}

function PlannedCall({ call }: { call: Plan['calls'][number] }) {
  const { name, valid, error, permission, effect, read_only: reads, destructive, coerced, input } = call;
  const { behavior, decided_by: by, rule, reason } = permission;
  return (
    <details class="planned">
      <summary>
        <b>{name}</b> <span class="mono">{titleOf(call)}</span>
        {valid ? (
          <BehaviorTag behavior={behavior} />
        ) : (
          <span class="tag" data-tone="error">
            ✕ not valid
          </span>
        )}
        <span class="hint">
          {[`by ${by}`, rule, reads ? 'reads only' : `effect: ${effect}`, destructive ? 'destructive' : undefined]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </summary>
      {error !== undefined && <p class="fault">{error}</p>}
      {reason !== undefined && <p>{reason}</p>}
      {coerced.length > 0 && <p class="hint">Repaired: {coerced.join(', ')}</p>}
      <pre tabIndex={0}>{pretty(input)}</pre>
    </details>
  );
}
