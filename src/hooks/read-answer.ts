// How one handler ended → what it says. Exit code 2 is a no that its JSON cannot take back; with any other code valid JSON
// decides; what is neither an answer nor silence is a fault, and `run-hook.ts` knows which faults block.
import { clipped, messageOf, type HookEvent, type HookVerdict, type ResultContent } from '../contract/index.ts';
import { HookAnswer } from './answer-schema.ts';

export interface HandlerEnd {
  /** `null` when it was ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** True where any text is an answer, and silence is none: behind a URL that is wrong there may be anything. */
  readonly jsonAlone: boolean;
}

export interface HookFault {
  /** What the hook did, after "a hook": for the model. */
  readonly fault: string;
  /** More of it, for people. */
  readonly detail?: string;
  /** True when it says no more than that the script ended with an error, which by itself is no answer. */
  readonly mild?: boolean;
}

export const SILENCE: HookVerdict = { additionalContext: [], notes: [] };

/** Characters of one text of a hook. */
const MAX_TEXT = 10_000;
/** What bash says of a program that it cannot run or find. */
const NOT_RUN = new Set([126, 127]);

export function readAnswer(event: HookEvent, end: HandlerEnd): HookVerdict | HookFault {
  const { exitCode, stdout, stderr } = end;
  const said = parse(event, end);
  const verdict = said !== null && 'verdict' in said ? said.verdict : undefined;
  if (exitCode === 2) return refusal(event, verdict, stderr);
  if (verdict !== undefined) return verdict;
  if (exitCode === null) return { fault: 'was killed before it could answer' };
  if (NOT_RUN.has(exitCode)) return { fault: 'could not be run', detail: clipped(stderr.trim(), MAX_TEXT) };
  if (exitCode !== 0) return { fault: `ended with exit code ${exitCode}`, detail: clipped(stderr.trim(), MAX_TEXT), mild: true };
  if (said !== null && 'fault' in said) return said;
  return event === 'SessionStart' && stdout.trim() !== '' ? { ...SILENCE, additionalContext: [clipped(stdout.trim(), MAX_TEXT)] } : SILENCE;
}

/** `null` for what is no answer at all. */
function parse(event: HookEvent, { stdout, jsonAlone }: HandlerEnd): { readonly verdict: HookVerdict } | HookFault | null {
  const text = stdout.trim();
  if (!text.startsWith('{')) {
    return jsonAlone && text !== '' && event !== 'SessionStart' ? unreadable('it is no JSON object') : null;
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return unreadable(messageOf(error));
  }
  const answer = HookAnswer.safeParse(json);
  if (!answer.success) {
    const [issue] = answer.error.issues;
    return unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is wrong'}`);
  }
  const meant = answer.data.hookSpecificOutput?.hookEventName ?? event;
  return meant === event
    ? { verdict: verdictOf(event, answer.data) }
    : unreadable(`hookEventName is "${clipped(meant, MAX_TEXT)}" and not "${event}"`);
}

function unreadable(detail: string): HookFault {
  return { fault: 'gave an answer that cannot be read', detail };
}

/** Exit code 2: what the JSON adds is kept, what it allows or changes is not. */
function refusal(event: HookEvent, said: HookVerdict = SILENCE, stderr: string): HookVerdict {
  const refused = block(event, stderr.trim() || (said.behavior === 'deny' ? said.reason : undefined));
  const { additionalContext, stop = refused.stop } = said;
  return { ...refused, ...(stop && { stop }), additionalContext, notes: [...said.notes, ...(refused.notes ?? [])] };
}

/** What a no means at each event. */
function block(event: HookEvent, given: string | null | undefined): Partial<HookVerdict> {
  const reason = clipped(given?.trim() || 'a hook does not allow it.', MAX_TEXT);
  switch (event) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return { behavior: 'deny', reason };
    case 'PostToolBatch':
      return { behavior: 'deny', reason, stop: { reason } };
    case 'PermissionDenied':
    case 'SessionStart':
    case 'SessionEnd':
      return { notes: [reason] };
  }
}

function verdictOf(event: HookEvent, answer: HookAnswer): HookVerdict {
  const { additionalContext: context } = answer.hookSpecificOutput ?? {};
  const decided = decision(event, answer);
  return {
    ...decided,
    ...(answer.continue === false && { stop: { reason: clipped(answer.stopReason?.trim() || 'a hook ended the turn.', MAX_TEXT) } }),
    additionalContext: [...(decided.additionalContext ?? []), ...texts(context)],
    notes: [...(decided.notes ?? []), ...texts(answer.systemMessage)],
  };
}

function decision(event: HookEvent, answer: HookAnswer): Partial<HookVerdict> {
  const { hookSpecificOutput: specific } = answer;
  const blocked = answer.decision === 'block' ? block(event, answer.reason) : undefined;
  switch (event) {
    case 'PreToolUse':
      return { ...beforeTool(answer), ...blocked };
    case 'PermissionRequest':
      return { ...permission(specific?.decision), ...blocked };
    case 'PostToolUse':
      return { ...updatedOutput(specific?.updatedToolOutput ?? specific?.updatedMCPToolOutput), ...blocked };
    case 'PermissionDenied':
      return { ...blocked, ...(specific?.retry === true && { additionalContext: ['The call may be tried again.'] }) };
    default:
      return blocked ?? {};
  }
}

type Specific = NonNullable<HookAnswer['hookSpecificOutput']>;

function beforeTool({ decision: old, reason: oldReason, hookSpecificOutput: specific }: HookAnswer): Partial<HookVerdict> {
  const given = specific?.permissionDecision ?? (old === 'approve' ? 'allow' : undefined);
  // Nothing can be put off here: whoever wants to decide later is asked now.
  const behavior = given === 'defer' ? 'ask' : given;
  const reason = specific?.permissionDecisionReason ?? oldReason;
  return {
    ...(behavior && { behavior }),
    ...(reason && { reason: clipped(reason, MAX_TEXT) }),
    ...(specific?.updatedInput && { updatedInput: specific.updatedInput }),
  };
}

function permission(decided: Specific['decision']): Partial<HookVerdict> {
  if (!decided) return {};
  if (decided.behavior === 'deny') {
    const denied = block('PermissionRequest', decided.message);
    return decided.interrupt === true ? { ...denied, stop: { reason: denied.reason ?? '' } } : denied;
  }
  const ignored = decided.updatedPermissions ? ['updatedPermissions of a hook were passed over: rules are changed by clients.'] : [];
  return { behavior: 'allow', ...(decided.updatedInput && { updatedInput: decided.updatedInput }), notes: ignored };
}

function updatedOutput(value: unknown): Partial<HookVerdict> {
  if (value === undefined || value === null) return {};
  const content: ResultContent = typeof value === 'string' ? value : (textBlocks(value) ?? JSON.stringify(value));
  return { updatedOutput: content };
}

/** The blocks of a content that is text alone. */
function textBlocks(value: unknown): ResultContent | undefined {
  if (!Array.isArray(value)) return undefined;
  const blocks = value.flatMap((part: unknown) => {
    const isText = typeof part === 'object' && part !== null && 'type' in part && part.type === 'text' && 'text' in part;
    return isText && typeof part.text === 'string' ? [{ type: 'text' as const, text: part.text }] : [];
  });
  return blocks.length === value.length ? blocks : undefined;
}

function texts(text: string | null | undefined): string[] {
  return text?.trim() ? [clipped(text.trim(), MAX_TEXT)] : [];
}
