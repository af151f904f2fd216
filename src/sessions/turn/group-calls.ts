// Calls of one tool in one batch, drawn together: three reads as one picture.
import type { CallGroup, ToolCatalog } from '../../contract/index.ts';
import { groupView } from '../../engine/prepare/observable.ts';
import type { TurnRecord } from './turn-record.ts';

/** Groups that are drawn a turn. */
const MOST_GROUPS = 50;

/** A tool that cannot draw its calls together leaves them apart. */
export function groupCalls({ batches, calls }: TurnRecord, catalog: ToolCatalog): CallGroup[] {
  const groups = batches.flatMap(({ concurrent, tool_use_ids }, batch) =>
    concurrent ? [...byTool(tool_use_ids, calls)].map(([name, ids]) => ({ batch, name, tool_use_ids: ids })) : [],
  );
  return groups
    .filter(({ tool_use_ids }) => tool_use_ids.length > 1)
    .slice(0, MOST_GROUPS)
    .flatMap((group) => {
      const view = viewOf(group, { calls, catalog });
      return view === undefined ? [] : [{ ...group, view }];
    });
}

function byTool(ids: readonly string[], calls: TurnRecord['calls']): Map<string, string[]> {
  const tools = new Map<string, string[]>();
  for (const id of ids) {
    const name = calls.get(id)?.name ?? '';
    tools.set(name, [...(tools.get(name) ?? []), id]);
  }
  return tools;
}

function viewOf(
  { name, tool_use_ids: ids }: Omit<CallGroup, 'view'>,
  { calls, catalog }: { calls: TurnRecord['calls']; catalog: ToolCatalog },
) {
  const tool = catalog.find(name);
  if (tool === undefined) return undefined;
  // Calls whose input was wrong are no part of the picture.
  const inputs = ids.flatMap((id) => {
    const checked = catalog.validate(tool, calls.get(id)?.observed);
    return checked.ok ? [checked.input] : [];
  });
  return inputs.length > 1 ? groupView(tool, inputs) : undefined;
}
