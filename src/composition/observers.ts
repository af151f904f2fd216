// All who look on: metrics, the log, and traces, where the operator wants them. OpenTelemetry is loaded then, and not otherwise.
import type { Config } from '../config.ts';
import type { Store, Tool, Report } from '../contract/index.ts';
import { createMetrics, type Metrics } from '../plugins/observe/metrics.ts';
import { observers } from '../plugins/observe/observers.ts';
import { currentOrigin } from '../plugins/observe/request-origin.ts';
import { takeovers } from '../plugins/observe/takeovers.ts';
import { turnLog } from '../plugins/observe/turn-log.ts';
import type { SessionObserver, SessionParts } from '../sessions/session-parts.ts';
import type { Tracing } from '../telemetry/trace-observer.ts';

export interface ObserverOptions {
  readonly config: Config;
  readonly tools: readonly Tool[];
  readonly logger: Parameters<typeof turnLog>[0];
  readonly store: Store;
  readonly guards: Pick<SessionParts, 'policyFor' | 'hooksFor'>;
  readonly report: Report;
}

export interface JoinedObservers extends Pick<Metrics, 'registry' | 'watch'> {
  readonly observer: SessionObserver;
  /** Absent where there are no traces. */
  readonly traceHeaders?: NonNullable<SessionParts['traceHeaders']>;
  /** The same store, looked at. */
  readonly store: Store;
  /** The same guards, looked at. */
  readonly guards: ObserverOptions['guards'];
  /** Sends what is left of traces. Never throws. */
  readonly close: () => Promise<void>;
}

export async function joinObservers({ config, tools, logger, store, guards, report }: ObserverOptions): Promise<JoinedObservers> {
  const metrics = createMetrics(tools);
  const traces = await startTracing(config, guards, report);
  const tracing = traces?.tracing;
  const log = turnLog(logger, () => currentOrigin()?.requestId);
  return {
    registry: metrics.registry,
    watch: metrics.watch,
    observer: observers(
      report,
      takeovers(metrics.registry, logger),
      metrics.observer,
      log,
      ...(tracing === undefined ? [] : [tracing.observer]),
    ),
    ...(tracing && { traceHeaders: tracing.headersFor }),
    store: metrics.observeStore(store),
    guards: traces?.guards ?? guards,
    close: () => tracing?.close() ?? Promise.resolve(),
  };
}

interface Traces {
  readonly tracing: Tracing;
  readonly guards: ObserverOptions['guards'];
}

async function startTracing({ telemetry: settings }: Config, guards: Traces['guards'], report: Report): Promise<Traces | undefined> {
  if (settings === undefined) return undefined;
  const { createTracing } = await import('../telemetry/trace-observer.ts');
  const { tracedGuards } = await import('../telemetry/traced-guards.ts');
  const tracing = createTracing({ settings, trace: () => currentOrigin()?.trace ?? {}, report });
  return { tracing, guards: tracedGuards(guards, tracing) };
}
