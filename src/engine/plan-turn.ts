// What a message would do, without doing any of it: each call is checked, placed and judged as if it were about to run.
import type { Decision, Effect, PermissionContext, Policy, ToolUse } from '../contract/index.ts';
import type { Guards } from './call/call-case.ts';
import { mayJoin, type Scheduling } from './schedule/footprint.ts';
import { decide, semanticFault } from './call/judge-call.ts';
import { partition } from './schedule/partition.ts';
import { prepare, type PreparedCall } from './prepare/prepare.ts';

export interface PlannedCall {
  readonly tool_use_id: string;
  readonly name: string;
  /** Coerced; as the model sent it where it is not valid. */
  readonly input: unknown;
  readonly coerced: readonly string[];
  readonly valid: boolean;
  readonly error?: string;
  readonly concurrency_safe: boolean;
  readonly read_only: boolean;
  readonly destructive: boolean;
  readonly effect: Effect;
  readonly permission: Decision;
}

export interface TurnPlan {
  readonly batches: { concurrent: boolean; tool_use_ids: string[] }[];
  readonly calls: PlannedCall[];
}

/** Hooks are not run: they may do something. Never throws for a call that is wrong. */
export async function planTurn(
  uses: readonly ToolUse[],
  { schedule, catalog, policy }: Pick<Guards, 'catalog' | 'policy'> & { readonly schedule: Scheduling },
  context: PermissionContext,
): Promise<TurnPlan> {
  const prepared = uses.map((use) => ({ use, call: prepare(use, catalog) }));
  const batches = partition(prepared, ({ call }) => mayJoin(call, schedule, context));
  const calls: PlannedCall[] = [];
  // One by one: a plan of a thousand calls is not worth a thousand look-ups at once.
  for (const { use, call } of prepared) calls.push(await planCall(use, call, { policy, context }));
  return {
    batches: batches.map(({ concurrent, calls: inBatch }) => ({ concurrent, tool_use_ids: inBatch.map(({ use }) => use.id) })),
    calls,
  };
}

interface Judges {
  readonly policy: Policy;
  readonly context: PermissionContext;
}

async function planCall({ id, name, input }: ToolUse, call: PreparedCall, judges: Judges): Promise<PlannedCall> {
  const head = { tool_use_id: id, name: call.tool?.name ?? name, concurrency_safe: call.concurrencySafe };
  if (call.kind === 'refused') return { ...head, input, coerced: [], ...UNKNOWN, ...invalid(call.message) };
  const seen = {
    ...head,
    input: call.input,
    coerced: call.coerced,
    read_only: call.readOnly,
    destructive: isDestructive(call),
    effect: call.effect,
  };
  const fault = await semanticFault(call);
  return fault === undefined ? { ...seen, valid: true, permission: await permission(id, call, judges) } : { ...seen, ...invalid(fault) };
}

const UNKNOWN = { read_only: false, destructive: false, effect: 'once' as const };

function invalid(message: string): Pick<PlannedCall, 'valid' | 'error' | 'permission'> {
  return {
    valid: false,
    error: message,
    permission: { behavior: 'deny', decided_by: 'input', reason: 'The call is not valid, so it does not run.' },
  };
}

type Ready = Extract<PreparedCall, { kind: 'ready' }>;

function isDestructive({ tool, input }: Ready): boolean {
  try {
    const destructive: unknown = tool.isDestructive(input);
    return destructive === true;
  } catch {
    // What cannot be told is shown as the worse of the two.
    return true;
  }
}

async function permission(toolUseId: string, { tool, input, readOnly }: Ready, { policy, context }: Judges): Promise<Decision> {
  const { suggestions: _suggestions, input: _input, ...decision } = await decide(policy, { toolUseId, tool, input, readOnly }, context);
  return decision;
}
