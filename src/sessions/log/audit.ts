// Who was allowed what and why, and what became of it: a plain reading of the session's log. What an event leaves out
// (the input of a denied call, the call of an answered question) an earlier one of the same turn has told.
import type { Decision, LoggedEvent } from '../../contract/index.ts';
import { callKey } from '../people/call-key.ts';
import type { LogItem } from './log-reader.ts';
import { shortCopy } from './short-copy.ts';

export interface AuditEntry {
  /** Absent of a gap. */
  readonly time?: string;
  readonly seq: number;
  readonly session_id: string;
  readonly turn_id?: string;
  readonly tool_use_id?: string;
  /** `gap`: the log was trimmed, up to `seq`. */
  readonly kind: 'decision' | 'approval' | 'call' | 'gap';
  /** Who decided; of a call, a question or a person's answer: the name of the key whose session it is. */
  readonly who: string;
  readonly what: Readonly<Record<string, unknown>>;
  readonly why?: string;
}

/** The session that a log is of. */
export interface Audited {
  readonly id: string;
  /** Name of its key; empty where the service runs without keys. */
  readonly owner: string;
}

/** What was told of the turn so far. */
interface Told {
  readonly calls: Map<string, { readonly tool: string; readonly input: unknown }>;
  /** Calls by the id of the question about them. */
  readonly asked: Map<string, string>;
  /** Answers by call; the newest counts. */
  readonly answers: Map<string, { readonly approval_id: string; readonly who: string }>;
  /** Tools of calls with an outcome that is not known, by turn and call: somebody may settle them much later. */
  readonly unknown: Map<string, string>;
}

type Head = Pick<AuditEntry, 'time' | 'seq' | 'session_id' | 'turn_id'>;

/** Characters of an input that an entry shows. */
const INPUT_CHARS = 2_000;
const AUDITED = new Set(['turn_started', 'call_queued', 'call_started', 'call_finished', 'approval_requested', 'approval_resolved', 'gap']);

/**
 * Entries of the events in order.
 * @param batches a log from its beginning, so that each turn is read from its own
 * @param after entries up to this `seq` are left out
 */
export async function* auditEntries(
  batches: AsyncIterable<LogItem[]>,
  { session, after }: { session: Audited; after: number },
): AsyncGenerator<AuditEntry[], void> {
  const told: Told = { calls: new Map(), asked: new Map(), answers: new Map(), unknown: new Map() };
  for await (const items of batches) {
    const audited = items.filter(({ type }) => AUDITED.has(type));
    const entries = audited.flatMap(({ json }) => entryOf(JSON.parse(json) as Tellable, told, session)).filter(({ seq }) => seq > after);
    if (entries.length > 0) yield entries;
  }
}

type Tellable = LoggedEvent | { readonly type: 'gap'; readonly from: number; readonly to: number };

function entryOf(event: Tellable, told: Told, { id, owner }: Audited): AuditEntry[] {
  if (event.type === 'gap')
    return [{ seq: event.to, session_id: id, kind: 'gap', who: 'service', what: { from: event.from, to: event.to } }];
  const { time, seq, session_id, turn_id } = event;
  const head: Head = { time, seq, session_id, ...(turn_id !== undefined && { turn_id }) };
  switch (event.type) {
    case 'turn_started':
      for (const known of [told.calls, told.asked, told.answers]) known.clear();
      return [];
    case 'call_queued':
      told.calls.set(event.tool_use_id, { tool: event.name, input: shown(event.input) });
      return [];
    case 'call_started': {
      const { tool_use_id, name, input, decision } = event;
      told.calls.set(tool_use_id, { tool: name, input: shown(input) });
      return [decided(head, decision, { tool_use_id, told })];
    }
    case 'call_finished': {
      const { tool_use_id, outcome, is_error, duration_ms, decision, resolved } = event;
      const place = callKey(turn_id ?? '', tool_use_id);
      const tool = told.calls.get(tool_use_id)?.tool ?? (resolved && told.unknown.get(place));
      if (outcome !== 'outcome_unknown') told.unknown.delete(place);
      else if (tool !== undefined) told.unknown.set(place, tool);
      const what = { ...(tool !== undefined && { tool }), outcome, is_error, duration_ms, ...(resolved && { resolved }) };
      const ended: AuditEntry = { ...head, tool_use_id, kind: 'call', who: owner, what };
      const entries = decision === undefined ? [ended] : [decided(head, decision, { tool_use_id, told }), ended];
      told.calls.delete(tool_use_id);
      return entries;
    }
    case 'approval_requested': {
      const { id: approval_id, tool_use_id, name: tool, input, reason } = event.approval;
      told.asked.set(approval_id, tool_use_id);
      return [
        { ...head, tool_use_id, kind: 'approval', who: owner, what: { approval_id, tool, asked: true, input: shown(input) }, why: reason },
      ];
    }
    case 'approval_resolved':
      return [answered(head, event, { told, owner })];
    default:
      return [];
  }
}

/** A call's fate, with the call itself. Of an approved or refused call, whoever gave the answer has decided. */
function decided(head: Head, decision: Decision, { tool_use_id, told }: { tool_use_id: string; told: Told }): AuditEntry {
  const { behavior, decided_by, rule, reason } = decision;
  const answer = decided_by === 'approval' ? told.answers.get(tool_use_id) : undefined;
  const what = {
    ...told.calls.get(tool_use_id),
    behavior,
    ...(rule !== undefined && { rule }),
    ...(answer && { approval_id: answer.approval_id }),
  };
  const why = reason === undefined ? {} : { why: reason };
  return { ...head, tool_use_id, kind: 'decision', who: answer?.who ?? decided_by, what, ...why };
}

type Answered = Extract<LoggedEvent, { type: 'approval_resolved' }>;

function answered(head: Head, event: Answered, { told, owner }: { told: Told; owner: string }): AuditEntry {
  const { approval_id, behavior, by } = event;
  const tool_use_id = told.asked.get(approval_id);
  const who = by === 'client' && owner !== '' ? owner : by;
  const entry: AuditEntry = { ...head, kind: 'approval', who, what: { approval_id, behavior } };
  if (tool_use_id === undefined) return entry;
  told.answers.set(tool_use_id, { approval_id, who });
  return { ...entry, tool_use_id };
}

function shown(input: unknown): unknown {
  return shortCopy(input, INPUT_CHARS).value;
}
