// All who look on: metrics, the log, and traces, where the operator wants them. OpenTelemetry is loaded then, and not otherwise.
import type { Config } from '../config.ts';
import type { Store, Tool } from '../contract/index.ts';
import { createMetrics, type Metrics } from '../plugins/metrics.ts';
import { observers } from '../plugins/observers.ts';
import { currentOrigin } from '../plugins/request-origin.ts';
import { turnLog } from '../plugins/turn-log.ts';
import type { Report, SessionObserver, SessionParts } from '../sessions/session-parts.ts';
import type { Tracing } from '../telemetry/trace-observer.ts';

export interface ObserverOptions {
  readonly config: Config;
  readonly tools: readonly Tool[];
  readonly logger: Parameters<typeof turnLog>[0];
  readonly store: Store;
  readonly report: Report;
}

export interface JoinedObservers extends Pick<Metrics, 'registry' | 'watch'> {
  readonly observer: SessionObserver;
  /** Absent where there are no traces. */
  readonly traceHeaders?: NonNullable<SessionParts['traceHeaders']>;
  /** The same store, looked at. */
  readonly store: Store;
  /** Sends what is left of traces. Never throws. */
  readonly close: () => Promise<void>;
}

export async function joinObservers({ config, tools, logger, store, report }: ObserverOptions): Promise<JoinedObservers> {
  const metrics = createMetrics(tools);
  const tracing = await startTracing(config, report);
  const log = turnLog(logger, () => currentOrigin()?.requestId);
  return {
    registry: metrics.registry,
    watch: metrics.watch,
    observer: observers(metrics.observer, log, ...(tracing === undefined ? [] : [tracing.observer])),
    ...(tracing && { traceHeaders: tracing.headersFor }),
    store: metrics.observeStore(store),
    close: () => tracing?.close() ?? Promise.resolve(),
  };
}

async function startTracing({ telemetry: settings }: Config, report: Report): Promise<Tracing | undefined> {
  if (settings === undefined) return undefined;
  const { createTracing } = await import('../telemetry/trace-observer.ts');
  return createTracing({ settings, trace: () => currentOrigin()?.trace ?? {}, report });
}
