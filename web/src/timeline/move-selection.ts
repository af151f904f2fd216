import { callKey } from '../model/session-model.ts';
import type { Row, Rows } from '../model/rows.ts';

type CallRow = Extract<Row, { kind: 'call' }>;

/** Calls that Page Up and Page Down pass over. */
const PAGE = 15;

/** The call that a key leads to from the chosen one; `null` for another key, and where there is no call. */
export function moveSelection(key: string, { rows, selected }: { rows: Rows; selected: string | null }): CallRow | null {
  const calls = rows.rows.filter((row) => row.kind === 'call');
  const at = calls.findIndex(({ turn, call }) => callKey(turn.id, call.id) === selected);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at < 0 ? calls.length - 1 : at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: calls.length - 1,
  };
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined;
  if (target === undefined) return null;
  return calls[Math.min(Math.max(target, 0), calls.length - 1)] ?? null;
}
