// What is counted of turns and their calls.
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Tool } from '../../contract/index.ts';
import type { CallEvent, Onlooker } from '../../sessions/session-parts.ts';
import type { TurnRecord } from '../../sessions/turn/turn-record.ts';
import { boundedLabels, toolLabels } from './tool-labels.ts';

const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 20, 60, 300];
/** People take their time. */
const PEOPLE_SECONDS = [0.1, 0.5, 1, 2, 5, 15, 30, 60, 120, 300, 900, 3_600];

/** @param tools the service's own */
export function turnMetrics(registry: Registry, tools: readonly Pick<Tool, 'name' | 'aliases'>[]): Onlooker {
  const metrics = callMetrics(registry);
  const turns = turnCounts(registry);
  const approvals = approvalWaits(registry);
  const toolLabel = toolLabels(tools);
  const unsentLabel = boundedLabels();
  return {
    turnQueued: (record) => void turns.queued.add(record),
    turnStarted(record) {
      turns.queued.delete(record);
      turns.running.add(record);
    },
    callChanged: (event, record) => approvals(event, record),
    callEnded(call) {
      const tool = toolLabel(call);
      metrics.calls.inc({ tool, outcome: call.outcome ?? 'ok' });
      metrics.duration.observe({ tool }, call.duration_ms / 1000);
      metrics.queued.observe(call.queued_ms / 1000);
      if (call.sanitized === true) metrics.sanitized.inc({ tool });
      if (call.schemaUnsent === true) metrics.unsent.inc({ tool: unsentLabel(call.name), mcp: String(call.name.startsWith('mcp__')) });
      if (call.coerced !== undefined) metrics.coerced.inc({ tool }, call.coerced.length);
    },
    turnEnded(record) {
      turns.over(record, record.status);
      for (const batch of record.batches) metrics.width.observe(batch.tool_use_ids.length);
    },
    turnLeft: (record) => turns.over(record, 'unfinished'),
  };
}

function callMetrics(registry: Registry) {
  const registers = [registry];
  return {
    calls: new Counter({
      name: 'toolexec_calls_total',
      help: 'Calls by tool and outcome.',
      labelNames: ['tool', 'outcome'],
      registers,
    }),
    duration: new Histogram({
      name: 'toolexec_call_duration_seconds',
      help: 'Time a call ran.',
      labelNames: ['tool'],
      buckets: SECONDS,
      registers,
    }),
    queued: new Histogram({
      name: 'toolexec_call_queued_seconds',
      help: 'Time a call waited before it started.',
      buckets: SECONDS,
      registers,
    }),
    width: new Histogram({ name: 'toolexec_batch_width', help: 'Calls a batch.', buckets: [1, 2, 3, 5, 10, 20, 50], registers }),
    coerced: new Counter({ name: 'toolexec_coercions_total', help: 'Values repaired by coercion.', labelNames: ['tool'], registers }),
    sanitized: new Counter({
      name: 'toolexec_sanitized_errors_total',
      help: 'Error texts that held something that no model gets: characters that are not seen, or what passes for another speaker.',
      labelNames: ['tool'],
      registers,
    }),
    unsent: new Counter({
      name: 'toolexec_deferred_schema_not_sent_total',
      help: 'Calls with wrong input of deferred tools whose schema the model had not been sent.',
      labelNames: ['tool', 'mcp'],
      registers,
    }),
  };
}

function turnCounts(registry: Registry) {
  const registers = [registry];
  const queued = new Set<TurnRecord>();
  const running = new Set<TurnRecord>();
  const total = new Counter({ name: 'toolexec_turns_total', help: 'Turns by how they ended.', labelNames: ['status'], registers });
  const open: Gauge<'state'> = new Gauge({
    name: 'toolexec_turns_open',
    help: 'Turns that run, or wait for the one before them in their session.',
    labelNames: ['state'],
    registers,
    collect() {
      open.set({ state: 'queued' }, queued.size);
      open.set({ state: 'running' }, running.size);
    },
  });
  const pending: Gauge = new Gauge({
    name: 'toolexec_approvals_pending',
    help: 'Questions that wait for somebody.',
    registers,
    collect: () => pending.set([...running].reduce((sum, { approvals }) => sum + approvals.size, 0)),
  });
  const over = (record: TurnRecord, status: string): void => {
    queued.delete(record);
    running.delete(record);
    total.inc({ status });
  };
  return { queued, running, over };
}

/** @returns what is to be told of every event */
function approvalWaits(registry: Registry): (event: CallEvent, record: TurnRecord) => void {
  const waits = new Histogram({
    name: 'toolexec_approval_wait_seconds',
    help: 'Time from a question to its answer.',
    labelNames: ['behavior'],
    buckets: PEOPLE_SECONDS,
    registers: [registry],
  });
  /** When each question was asked that this process has put, by its id. */
  const asked = new WeakMap<TurnRecord, Map<string, number>>();
  return (event, record) => {
    if (event.type === 'approval_requested') {
      const open = asked.get(record) ?? new Map<string, number>();
      asked.set(record, open.set(event.approval.id, performance.now()));
    } else if (event.type === 'approval_resolved') {
      const open = asked.get(record);
      const since = open?.get(event.approval_id);
      open?.delete(event.approval_id);
      if (since !== undefined) waits.observe({ behavior: event.behavior }, (performance.now() - since) / 1000);
    }
  };
}
