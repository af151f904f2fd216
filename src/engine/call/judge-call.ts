// A call before it may run: semantic check → PreToolUse hooks → policy → a question to people, if one is left. Whatever
// fails on the way is a no. Everything that judges sees the coerced input; changed input is coerced, checked and judged again.
import {
  messageOf,
  type ApprovalAnswer,
  type Decision,
  type HookOpinion,
  type JudgedCall,
  type Judgement,
  type OpenApproval,
  type PermissionContext,
  type Policy,
} from '../../contract/index.ts';
import { stoppedEnding, type CallCase, type CallEnding } from './call-case.ts';
import { hearHooks, hooked } from './hear-hooks.ts';
import { observableInput } from '../prepare/observable.ts';
import { prepareChanged, type ReadyCall } from '../prepare/prepare.ts';

/** A call on its way through the judges, with what they have said so far. */
interface Matter {
  readonly ready: ReadyCall;
  readonly notes: readonly string[];
  readonly hook?: HookOpinion;
  /** Its input is what people have made of it, and nobody has looked at that since. */
  readonly edited?: boolean;
  /** Who has said yes to exactly this input. */
  readonly approved?: string;
  /** How often it was asked about already. */
  readonly asked: number;
}

/** Questions about one call, when each answer changes its input and so brings the next. */
const MOST_QUESTIONS = 5;

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
  return fault === undefined ? hear(call, { ready, notes: [], asked: 0 }) : invalid(fault);
}

/** What people have answered, judged once more: no answer goes past a deny, and changed input passes every hook again. */
export async function judgeAnswer(call: CallCase, question: Matter, answer: ApprovalAnswer): Promise<Verdict> {
  const { ready, notes } = question;
  const decider = answer.by === 'hook' ? 'hook' : 'approval';
  if (answer.behavior === 'deny') {
    const reason = answer.message ?? DENIALS[answer.by] ?? 'it was not approved.';
    return deny(call, question, { behavior: 'deny', decided_by: decider, reason });
  }
  const approved = { ...question, approved: decider, asked: question.asked + 1 };
  if (answer.updatedInput === undefined) return rule(call, { ...approved, edited: false });
  const changed = await changedCall(call, ready, answer.updatedInput);
  return typeof changed === 'string' ? invalid(changed, notes) : hear(call, { ...approved, ready: changed, edited: true });
}

const DENIALS: Readonly<Record<string, string>> = {
  expiry: 'nobody answered in time.',
  client: 'the user does not want it. Do not try it another way: ask what to do instead.',
};

/** Lets the hooks speak that stand before every call. Input that they change nobody has approved yet. */
async function hear(call: CallCase, matter: Matter): Promise<Verdict> {
  if (!call.guards.hooks.listens('PreToolUse')) return rule(call, matter);
  const occasion = { event: 'PreToolUse' as const, call: hooked(call, matter.ready) };
  const { updatedInput, behavior, reason, additionalContext } = await hearHooks(call, occasion, call.stop.signal);
  if (call.stop.reason !== undefined) return { kind: 'ended', ending: stoppedEnding(call.stop.reason) };
  const notes = [...matter.notes, ...additionalContext];
  // What was said of the input before a change does not hold for this one.
  const { hook: _before, ...unheard } = matter;
  const heard = { ...unheard, notes, ...(behavior && { hook: { behavior, ...(reason !== undefined && { reason }) } }) };
  if (updatedInput === undefined) return rule(call, heard);
  const changed = await changedCall(call, matter.ready, updatedInput);
  if (typeof changed === 'string') return invalid(changed, notes);
  const { approved: _, ...unapproved } = heard;
  return rule(call, { ...unapproved, ready: changed });
}

async function rule(call: CallCase, matter: Matter): Promise<Verdict> {
  const { notes, approved } = matter;
  const { suggestions = [], input, ...decision } = await decide(call.guards.policy, judged(call, matter), call.permissions);
  if (decision.behavior === 'deny') return deny(call, matter, decision);
  // What is dangerous whatever the rules say is asked once more where a yes came with another input.
  const isNew = matter.edited === true && decision.decided_by === 'policy';
  if (decision.behavior === 'ask' && (approved === undefined || isNew)) return ask(call, matter, { ...decision, suggestions });
  const ready = input === undefined ? matter.ready : { ...matter.ready, input };
  return { kind: 'cleared', ready, decision: approved === undefined ? decision : { behavior: 'allow', decided_by: approved }, notes };
}

async function ask(call: CallCase, before: Matter, judgement: Judgement): Promise<Verdict> {
  const { suggestions = [] } = judgement;
  let matter = before;
  if (matter.asked >= MOST_QUESTIONS) {
    return deny(call, matter, {
      behavior: 'deny',
      decided_by: 'policy',
      reason: 'its input changed with every answer, so no answer holds for it.',
    });
  }
  if (call.guards.hooks.listens('PermissionRequest')) {
    const occasion = { event: 'PermissionRequest' as const, call: hooked(call, matter.ready), suggestions };
    const { behavior, reason, updatedInput, additionalContext } = await hearHooks(call, occasion, call.stop.signal);
    matter = { ...matter, notes: [...matter.notes, ...additionalContext] };
    if (behavior === 'allow' || behavior === 'deny') {
      const answer = { behavior, by: 'hook', ...(reason !== undefined && { message: reason }), ...(updatedInput && { updatedInput }) };
      return judgeAnswer(call, matter, answer);
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

function askPeople(
  call: CallCase,
  { ready }: Matter,
  { reason = 'It needs an approval.', suggestions = [] }: Judgement,
): OpenApproval | null {
  try {
    const { name } = ready.tool;
    const input = observableInput(ready.tool, ready.input, call.permissions);
    return call.guards.approvals.ask({ turnId: call.turnId, toolUseId: call.use.id, name, input, reason, suggestions });
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
  const reason = decision.reason ?? 'a rule denies it.';
  const more: string[] = [];
  if (call.guards.hooks.listens('PermissionDenied')) {
    const occasion = { event: 'PermissionDenied' as const, call: hooked(call, ready), reason };
    more.push(...(await hearHooks(call, occasion, call.stop.signal)).additionalContext);
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

function judged({ use }: CallCase, { ready, hook }: Matter): JudgedCall {
  const { tool, input, readOnly } = ready;
  return { toolUseId: use.id, tool, input, readOnly, ...(hook && { hook }) };
}

/** What the policy says of a call; one that throws has said no. */
export async function decide(policy: Policy, call: JudgedCall, context: PermissionContext): Promise<Judgement> {
  try {
    return await policy.decide(call, context);
  } catch (error) {
    return { behavior: 'deny', decided_by: 'policy', reason: `The permission check failed: ${messageOf(error)}` };
  }
}

function invalid(message: string, notes: readonly string[] = []): Verdict {
  return { kind: 'ended', ending: { outcome: 'invalid_input', message, modifiers: [], notes } };
}
