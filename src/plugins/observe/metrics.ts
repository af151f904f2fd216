// Prometheus metrics of one instance, in a registry of its own.
import fastifyPlugin from 'fastify-plugin';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { Store, Tool } from '../../contract/index.ts';
import type { Onlooker } from '../../sessions/session-parts.ts';
import { storeMetrics } from './store-metrics.ts';
import { turnMetrics } from './turn-metrics.ts';

/** What is read when somebody asks, each a whole number. */
export interface Watched {
  /** Connected sockets. */
  readonly sockets: () => number;
  /** Open event streams. */
  readonly eventStreams: () => number;
  readonly sessions: () => number;
  /** Events by which the slowest reader of a log is behind. */
  readonly readerLag: () => number;
  /** Commands and programs. */
  readonly processes: () => { readonly running: number; readonly waiting: number };
}

export interface Metrics {
  readonly registry: Registry;
  readonly observer: Onlooker;
  /** @returns the same store, looked at */
  readonly observeStore: (store: Store) => Store;
  readonly watch: (watched: Watched) => void;
}

/** @param tools the service's own: those of others are told together, as a client can make up any number */
export function createMetrics(tools: readonly Pick<Tool, 'name' | 'aliases'>[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    observer: turnMetrics(registry, tools),
    observeStore: storeMetrics(registry),
    watch({ sockets, eventStreams, sessions, readerLag, processes }) {
      gauge(registry, { name: 'toolexec_sockets', help: 'Connected sockets.', read: sockets });
      gauge(registry, { name: 'toolexec_event_streams', help: 'Open event streams (SSE).', read: eventStreams });
      gauge(registry, { name: 'toolexec_sessions_in_memory', help: 'Sessions held in memory.', read: sessions });
      const lag = 'Events of its log by which the slowest reader is behind.';
      gauge(registry, { name: 'toolexec_reader_lag_events', help: lag, read: readerLag });
      const running = 'Commands and programs that run.';
      gauge(registry, { name: 'toolexec_processes_running', help: running, read: () => processes().running });
      const waiting = 'Commands and programs that wait for a place.';
      gauge(registry, { name: 'toolexec_processes_waiting', help: waiting, read: () => processes().waiting });
    },
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
