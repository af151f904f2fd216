// Who was allowed what and why, and what became of it: a plain reading of the session's log, one line an entry.
import type { LoggedEvent } from '../contract/index.ts';
import type { LogItem } from './log-reader.ts';

export interface AuditEntry {
  readonly time: string;
  readonly seq: number;
  readonly session_id: string;
  readonly turn_id?: string;
  readonly tool_use_id?: string;
  readonly kind: 'decision' | 'approval' | 'call' | 'gap';
  /** Who decided or, of a call, whose session it ran in: the name of the key. */
  readonly who: string;
  readonly what: Readonly<Record<string, unknown>>;
  readonly why?: string;
}

/** Characters of an input that an entry shows. */
const MAX_INPUT_CHARS = 10_000;

/** Entries of the events in order. @param owner name of the key the session belongs to */
export async function* auditEntries(batches: AsyncIterable<LogItem[]>, owner: string): AsyncGenerator<AuditEntry[], void> {
  for await (const items of batches) {
    const entries = items.flatMap(({ type, json }) => (AUDITED.has(type) ? (entryOf(JSON.parse(json) as LoggedEvent, owner) ?? []) : []));
    if (entries.length > 0) yield entries;
  }
}

const AUDITED = new Set(['call_started', 'call_finished', 'approval_requested', 'approval_resolved']);

function entryOf(event: LoggedEvent, owner: string): AuditEntry | AuditEntry[] | null {
  const head = {
    time: event.time,
    seq: event.seq,
    session_id: event.session_id,
    ...(event.turn_id !== undefined && { turn_id: event.turn_id }),
  };
  switch (event.type) {
    case 'call_started': {
      const { tool_use_id, name, input, decision } = event;
      return {
        ...head,
        tool_use_id,
        kind: 'decision',
        who: decision.decided_by,
        what: { name, behavior: decision.behavior, input: shown(input), ...ruleOf(decision) },
        ...whyOf(decision),
      };
    }
    case 'call_finished': {
      const { tool_use_id, outcome, is_error, duration_ms, decision } = event;
      const ended: AuditEntry = { ...head, tool_use_id, kind: 'call', who: owner, what: { outcome, is_error, duration_ms } };
      if (decision === undefined) return ended;
      return [
        {
          ...head,
          tool_use_id,
          kind: 'decision',
          who: decision.decided_by,
          what: { behavior: decision.behavior, ...ruleOf(decision) },
          ...whyOf(decision),
        },
        ended,
      ];
    }
    case 'approval_requested': {
      const { id, tool_use_id, name, input, reason } = event.approval;
      return {
        ...head,
        tool_use_id,
        kind: 'approval',
        who: owner,
        what: { approval_id: id, name, asked: true, input: shown(input) },
        why: reason,
      };
    }
    case 'approval_resolved':
      return { ...head, kind: 'approval', who: event.by, what: { approval_id: event.approval_id, behavior: event.behavior } };
    default:
      return null;
  }
}

function ruleOf({ rule }: { rule?: string }): { rule?: string } {
  return rule === undefined ? {} : { rule };
}

function whyOf({ reason }: { reason?: string }): { why?: string } {
  return reason === undefined ? {} : { why: reason };
}

function shown(input: unknown): unknown {
  const json = JSON.stringify(input) ?? 'null';
  return json.length <= MAX_INPUT_CHARS ? input : `${json.slice(0, MAX_INPUT_CHARS)}… (${json.length} characters)`;
}
