// A call before it may run: semantic check → PreToolUse hooks → policy → a question to people, if one is left. Whatever
// fails on the way is a no. Everything that judges sees the coerced input; changed input is coerced, checked and judged again.
import type { ApprovalAnswer, Decision, HookedCall, HookOpinion, Judgement, OpenApproval } from '../contract/index.ts';
import { stoppedEnding, type CallCase, type CallEnding } from './call-case.ts';
import { messageOf } from './message-of.ts';
import { observableInput } from './observable.ts';
import { prepareChanged, type ReadyCall } from './prepare.ts';

/** A call on its way through the judges, with what they have said so far. */
interface Matter {
  readonly ready: ReadyCall;
  readonly notes: readonly string[];
  readonly hook?: HookOpinion;
}

/** A call that may run. */
export interface ClearedCall {
  readonly ready: ReadyCall;
  readonly decision: Decision;
  readonly notes: readonly string[];
}

/** A call whose answer people have to give. */
export interface Question extends Matter {
  readonly open: OpenApproval;
}

export type Verdict =
  | ({ readonly kind: 'cleared' } & ClearedCall)
  | { readonly kind: 'asked'; readonly question: Question }
  | { readonly kind: 'ended'; readonly ending: CallEnding };

export async function judge(call: CallCase, ready: ReadyCall): Promise<Verdict> {
  const fault = await semanticFault(ready);
  if (fault !== undefined) return invalid(fault);
  return call.guards.hooks.listens('PreToolUse') ? hear(call, ready) : rule(call, { ready, notes: [] });
}

/** What people have answered, judged once more: no answer goes past a deny. */
export async function judgeAnswer(call: CallCase, question: Question, answer: ApprovalAnswer): Promise<Verdict> {
  const { ready, notes } = question;
  if (answer.behavior === 'deny') {
    const reason = answer.message ?? DENIALS[answer.by] ?? 'it was not approved.';
    return deny(call, question, { behavior: 'deny', decided_by: deciderOf(answer), reason });
  }
  const changed = answer.updatedInput === undefined ? ready : await changedCall(call, ready, answer.updatedInput);
  if (typeof changed === 'string') return { kind: 'ended', ending: { outcome: 'invalid_input', message: changed, modifiers: [], notes } };
  const matter: Matter = { ...question, ready: changed };
  const judgement = await decide(call, matter);
  if (judgement.behavior === 'deny') return deny(call, matter, judgement);
  return { kind: 'cleared', ready: changed, notes, decision: { behavior: 'allow', decided_by: deciderOf(answer) } };
}

const DENIALS: Readonly<Record<string, string>> = {
  expiry: 'nobody answered in time.',
  client: 'the user does not want it. Do not try it another way: ask what to do instead.',
};

function deciderOf({ by }: ApprovalAnswer): string {
  return by === 'hook' ? 'hook' : 'approval';
}

/** Lets the hooks speak that stand before every call. */
async function hear(call: CallCase, ready: ReadyCall): Promise<Verdict> {
  const verdict = await call.guards.hooks.run({ event: 'PreToolUse', call: hooked(call, ready) }, call.permissions, call.stop.signal);
  const { updatedInput, behavior, reason, additionalContext: notes } = verdict;
  if (verdict.stop !== undefined) call.halt(verdict.stop.reason);
  if (call.stop.reason !== undefined) return { kind: 'ended', ending: stoppedEnding(call.stop.reason) };
  const changed = updatedInput === undefined ? ready : await changedCall(call, ready, updatedInput);
  if (typeof changed === 'string') return { kind: 'ended', ending: { outcome: 'invalid_input', message: changed, modifiers: [], notes } };
  return rule(call, { ready: changed, notes, ...(behavior && { hook: { behavior, ...(reason !== undefined && { reason }) } }) });
}

async function rule(call: CallCase, matter: Matter): Promise<Verdict> {
  const { suggestions = [], input, ...decision } = await decide(call, matter);
  if (decision.behavior === 'deny') return deny(call, matter, decision);
  if (decision.behavior === 'ask') return ask(call, matter, { ...decision, suggestions });
  const ready = input === undefined ? matter.ready : { ...matter.ready, input };
  return { kind: 'cleared', ready, decision, notes: matter.notes };
}

async function ask(call: CallCase, matter: Matter, judgement: Judgement): Promise<Verdict> {
  const { hooks } = call.guards;
  const { suggestions = [] } = judgement;
  if (hooks.listens('PermissionRequest')) {
    const occasion = { event: 'PermissionRequest' as const, call: hooked(call, matter.ready), suggestions };
    const { behavior, reason, updatedInput, stop } = await hooks.run(occasion, call.permissions, call.stop.signal);
    if (stop !== undefined) call.halt(stop.reason);
    if (behavior === 'allow' || behavior === 'deny') {
      const answer = { behavior, by: 'hook', ...(reason !== undefined && { message: reason }), ...(updatedInput && { updatedInput }) };
      return judgeAnswer(call, { ...matter, open: NOBODY }, answer);
    }
  }
  const open = askPeople(call, matter, judgement);
  if (open !== null) return { kind: 'asked', question: { ...matter, open } };
  const why = judgement.reason ?? 'it needs an approval.';
  return deny(call, matter, {
    ...judgement,
    behavior: 'deny',
    reason: `${why} Nobody can be asked here: do without it, or tell the user.`,
  });
}

const NOBODY: OpenApproval = {
  summary: { id: '', tool_use_id: '', name: '', input: null, reason: '', suggestions: [], expires_at: '' },
  answer: Promise.resolve({ behavior: 'deny', by: 'settings' }),
  told: true,
};

function askPeople(
  call: CallCase,
  { ready }: Matter,
  { reason = 'It needs an approval.', suggestions = [] }: Judgement,
): OpenApproval | null {
  try {
    const { name } = ready.tool;
    const input = observableInput(ready.tool, ready.input, call.permissions);
    return call.guards.approvals.ask({ turnId: call.context.turnId, toolUseId: call.use.id, name, input, reason, suggestions });
  } catch {
    // Who cannot ask has no yes.
    return null;
  }
}

async function deny(
  call: CallCase,
  { ready, notes }: Matter,
  { suggestions: _suggestions, input: _input, ...decision }: Judgement,
): Promise<Verdict> {
  const { hooks } = call.guards;
  const reason = decision.reason ?? 'a rule denies it.';
  const more: string[] = [];
  if (hooks.listens('PermissionDenied')) {
    const occasion = { event: 'PermissionDenied' as const, call: hooked(call, ready), reason };
    const { additionalContext, stop } = await hooks.run(occasion, call.permissions, call.stop.signal);
    if (stop !== undefined) call.halt(stop.reason);
    more.push(...additionalContext);
  }
  const message = `Permission to use ${ready.tool.name} was denied: ${reason}`;
  return {
    kind: 'ended',
    ending: { outcome: 'denied', message, modifiers: [], decision: { ...decision, behavior: 'deny' }, notes: [...notes, ...more] },
  };
}

/** The call with another input, or what is wrong with that. */
async function changedCall(call: CallCase, ready: ReadyCall, input: unknown): Promise<ReadyCall | string> {
  const changed = prepareChanged(ready, input, call.guards.catalog);
  return typeof changed === 'string' ? changed : ((await semanticFault(changed)) ?? changed);
}

/** What the tool's own look at a valid input finds wrong, for the model. */
export async function semanticFault({ tool, input }: ReadyCall): Promise<string | undefined> {
  if (tool.validateInput === undefined) return undefined;
  try {
    const verdict = await tool.validateInput(input);
    return verdict.ok ? undefined : verdict.message;
  } catch (error) {
    return `The input could not be checked: ${messageOf(error)}`;
  }
}

/** Deny, unless everything that decides says otherwise. */
async function decide(call: CallCase, { ready, hook }: Matter): Promise<Judgement> {
  const { tool, input, readOnly } = ready;
  try {
    return await call.guards.policy.decide({ toolUseId: call.use.id, tool, input, readOnly, ...(hook && { hook }) }, call.permissions);
  } catch (error) {
    return { behavior: 'deny', decided_by: 'policy', reason: `The permission check failed: ${messageOf(error)}` };
  }
}

export function hooked(call: CallCase, { tool, input }: ReadyCall): HookedCall {
  return { toolUseId: call.use.id, tool, input: observableInput(tool, input, call.permissions) };
}

function invalid(message: string): Verdict {
  return { kind: 'ended', ending: { outcome: 'invalid_input', message, modifiers: [] } };
}
