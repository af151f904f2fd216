// The checks that all formats share: every fault of shape is collected, with its path, before the message is refused.
import type { ProblemIssue, ToolUse } from '../contract/index.ts';
import { Problem } from '../contract/index.ts';
import type { CallInput } from './call-input.ts';
import { isRecord } from './is-record.ts';

/** Calls that one message may hold. */
export const MAX_CALLS = 1_000;
const MAX_ID_CHARS = 256;
/** Faults after which reading stops: a broken client needs no book. */
const MAX_ISSUES = 20;

/** A call as a format found it, its id and name not yet checked. */
export interface FoundCall extends CallInput {
  readonly id: unknown;
  readonly name: unknown;
}

/** Where a format keeps its calls. Paths look like `content[2]`; `keys` name the fields inside an item. */
export interface CallList {
  readonly path: string;
  readonly items: unknown;
  readonly keys: { readonly id: string; readonly name: string };
  /** Gives the call that an item is, or `null` for items to pass over. */
  readonly find: (item: Record<string, unknown>) => FoundCall | null;
}

/**
 * Reads the calls of one message in order.
 * @throws Problem `invalid-request` for a wrong shape or more than {@link MAX_CALLS} calls, `duplicate-tool-use-id`.
 */
export function collectCalls(list: CallList): ToolUse[] {
  if (!Array.isArray(list.items)) throw wrongShape([{ path: list.path, message: 'must be an array' }]);
  const issues: ProblemIssue[] = [];
  const calls: ToolUse[] = [];
  let found = 0;
  for (const [index, item] of list.items.entries()) {
    const path = `${list.path}[${index}]`;
    const call = isRecord(item) ? list.find(item) : undefined;
    if (call === null) continue;
    if (call) found += 1;
    if (found > MAX_CALLS) throw tooMany(list.path);
    if (call && isNamed(call)) calls.push(call);
    else issues.push(...(call ? faultsOf(call, path, list.keys) : [{ path, message: 'must be an object' }]));
    if (issues.length >= MAX_ISSUES) break;
  }
  if (issues.length > 0) throw wrongShape(issues);
  assertDistinct(calls);
  return calls;
}

/** What is wrong with a call's id, or `null`: only a call that has one can be answered. */
export function idFault(id: unknown): string | null {
  if (typeof id !== 'string' || id === '') return 'must be a non-empty string';
  return id.length > MAX_ID_CHARS ? `must be at most ${MAX_ID_CHARS} characters long` : null;
}

/** The refusal of a message of the wrong shape. */
export function wrongShape(issues: readonly ProblemIssue[]): Problem {
  const [first] = issues;
  const detail = first
    ? `The assistant message has a wrong shape: ${first.path || 'it'} ${first.message}.`
    : 'The assistant message has a wrong shape.';
  return new Problem('invalid-request', detail, { issues });
}

/** Refuses a message whose `role`, where it is given, is not that of the model. @throws Problem */
export function assertAssistant(message: Record<string, unknown>, path = 'role'): void {
  if (message['role'] === undefined || message['role'] === 'assistant') return;
  throw wrongShape([{ path, message: 'must be "assistant": send the message that the model answered with' }]);
}

function isNamed(call: FoundCall): call is ToolUse {
  return idFault(call.id) === null && typeof call.name === 'string';
}

function faultsOf(call: FoundCall, path: string, keys: CallList['keys']): ProblemIssue[] {
  const id = idFault(call.id);
  const issues = id ? [{ path: `${path}.${keys.id}`, message: id }] : [];
  return typeof call.name === 'string' ? issues : [...issues, { path: `${path}.${keys.name}`, message: 'must be a string' }];
}

function tooMany(path: string): Problem {
  const message = `has more than ${MAX_CALLS} calls: send them in several messages`;
  return new Problem('invalid-request', `The assistant message ${message}.`, { issues: [{ path, message }] });
}

function assertDistinct(calls: readonly ToolUse[]): void {
  const seen = new Set<string>();
  for (const { id } of calls) {
    if (seen.has(id))
      throw new Problem('duplicate-tool-use-id', `Two calls of the message have the id ${JSON.stringify(id)}: give each its own.`);
    seen.add(id);
  }
}
