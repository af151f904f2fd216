// What calls touch, and which of them get in one another's way.
import { isWithin, type Footprint, type PermissionContext } from '../../contract/index.ts';
import type { PreparedCall, ReadyCall } from '../prepare/prepare.ts';

/** `partition`: only what is safe beside others runs side by side. `dependencies`: whatever touches different things does. */
export type Scheduling = 'partition' | 'dependencies';

/** `reads everything`: whatever others write, files or not. */
export type Touched = Footprint | 'everything' | 'reads everything';

/** Whether a call may be in a batch with others. */
export function mayJoin(call: PreparedCall, schedule: Scheduling, context: PermissionContext): boolean {
  if (schedule === 'partition' || call.kind === 'refused') return call.concurrencySafe;
  return touchedBy(call, context) !== 'everything';
}

/** Never throws: a tool that cannot say what a call touches may touch everything. */
export function touchedBy({ tool, input, concurrencySafe }: ReadyCall, context: PermissionContext): Touched {
  if (tool.footprint === undefined) return concurrencySafe ? 'reads everything' : 'everything';
  try {
    return tool.footprint(input, context);
  } catch {
    return 'everything';
  }
}

/** Follows the links of paths, so that two names of one file are one. Never rejects. */
export async function located(touched: Touched, realPath: (path: string) => Promise<string>): Promise<Touched> {
  if (typeof touched === 'string') return touched;
  const follow = (names: readonly string[] = []) => Promise.all(names.map(async (name) => (isPath(name) ? realPath(name) : name)));
  try {
    const [reads, writes] = await Promise.all([follow(touched.reads), follow(touched.writes)]);
    return { reads, writes };
  } catch {
    // Links that lead in a circle, a directory that cannot be looked into.
    return 'everything';
  }
}

/** True where one of two writes what the other touches, a directory that holds it, or something in it. */
export function conflict(one: Touched, other: Touched): boolean {
  if (one === 'everything' || other === 'everything') return true;
  if (one === 'reads everything') return writesAny(other);
  if (other === 'reads everything') return writesAny(one);
  return meets(one.writes, other.writes) || meets(one.writes, other.reads) || meets(one.reads, other.writes);
}

export function writesAny(touched: Touched): boolean {
  return touched === 'everything' || (typeof touched === 'object' && (touched.writes?.length ?? 0) > 0);
}

function meets(some: readonly string[] = [], others: readonly string[] = []): boolean {
  return some.some((one) =>
    others.some((other) => (isPath(one) && isPath(other) ? isWithin(one, other) || isWithin(other, one) : one === other)),
  );
}

function isPath(name: string): boolean {
  return name.startsWith('/');
}
