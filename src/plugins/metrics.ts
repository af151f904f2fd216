// Prometheus metrics of one instance, in a registry of its own.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Outcome, Tool } from '../contract/index.ts';
import type { SessionObserver } from '../sessions/session-parts.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly observer: SessionObserver;
  watch(gauges: { sockets: () => number; sessions: () => number }): void;
}

/** Names of tools from outside that one metric may tell apart. */
const MAX_LABELS = 500;
const SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 20, 60, 300];

/** @param tools the service's own: those of others are told together, as a client can make up any number */
export function createMetrics(tools: readonly Pick<Tool, 'name' | 'aliases'>[]): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'toolexec_calls_total',
    help: 'Calls by tool and outcome.',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const duration = new Histogram({
    name: 'toolexec_call_duration_seconds',
    help: 'Time a call ran.',
    labelNames: ['tool'],
    buckets: SECONDS,
    registers,
  });
  const queued = new Histogram({
    name: 'toolexec_call_queued_seconds',
    help: 'Time a call waited before it started.',
    buckets: SECONDS,
    registers,
  });
  const turns = new Counter({ name: 'toolexec_turns_total', help: 'Turns by how they ended.', labelNames: ['status'], registers });
  const width = new Histogram({ name: 'toolexec_batch_width', help: 'Calls a batch.', buckets: [1, 2, 3, 5, 10, 20, 50], registers });
  const coerced = new Counter({ name: 'toolexec_coercions_total', help: 'Values repaired by coercion.', labelNames: ['tool'], registers });
  const unsent = new Counter({
    name: 'toolexec_deferred_schema_not_sent_total',
    help: 'Calls with wrong input of deferred tools whose schema the model had not been sent.',
    labelNames: ['tool', 'mcp'],
    registers,
  });
  const toolLabel = toolLabels(tools);
  const unsentLabel = boundedLabels();
  return {
    registry,
    observer: {
      callEnded(call) {
        const tool = toolLabel(call);
        calls.inc({ tool, outcome: call.outcome ?? 'ok' });
        duration.observe({ tool }, call.duration_ms / 1000);
        queued.observe(call.queued_ms / 1000);
        if (call.schemaUnsent === true) unsent.inc({ tool: unsentLabel(call.name), mcp: String(call.name.startsWith('mcp__')) });
        if (call.coerced !== undefined) coerced.inc({ tool }, call.coerced.length);
      },
      turnEnded(record) {
        turns.inc({ status: record.status });
        for (const batch of record.batches) width.observe(batch.tool_use_ids.length);
      },
    },
    watch({ sockets, sessions }) {
      gauge(registry, { name: 'toolexec_sockets', help: 'Connected sockets.', read: sockets });
      gauge(registry, { name: 'toolexec_sessions_in_memory', help: 'Sessions held in memory.', read: sessions });
    },
  };
}

/** How a call may end before anybody has looked whether there is such a tool. */
const TELLS_NOTHING: ReadonlySet<Outcome | null> = new Set([
  'unknown_tool',
  'aborted',
  'cancelled_sibling',
  'discarded',
  'outcome_unknown',
  null,
]);

/** Names that models and clients make up are few labels. */
function toolLabels(tools: readonly Pick<Tool, 'name' | 'aliases'>[]): (call: { name: string; outcome: Outcome | null }) => string {
  const own = new Map(tools.flatMap(({ name, aliases }) => [name, ...aliases].map((word) => [word, name])));
  return ({ name, outcome }) => {
    const known = own.get(name);
    if (known !== undefined) return known;
    if (TELLS_NOTHING.has(outcome)) return 'unknown';
    return name.startsWith('mcp__') ? 'mcp' : 'custom';
  };
}

/** The first names as they are, and one label for all that come after. */
function boundedLabels(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < MAX_LABELS) known.add(name);
    return known.has(name) ? name : 'other';
  };
}

function gauge(registry: Registry, { name, help, read }: { name: string; help: string; read: () => number }): void {
  const metric: Gauge = new Gauge({ name, help, registers: [], collect: () => metric.set(read()) });
  registry.registerMetric(metric);
}

export const metricsRoute = fastifyPlugin<{ registry: Registry }>((app: FastifyInstance, { registry }, done) => {
  app.get(
    '/metrics',
    { config: { public: true, anyHost: true }, schema: { summary: 'Prometheus metrics', tags: ['operations'] } },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  );
  done();
});
