// Looks on at turns and tells a collector of them, as spans of OpenTelemetry.
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, type Context } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { settlesWithin, type Report } from '../contract/index.ts';
import type { TelemetrySettings } from '../config/telemetry.ts';
import type { ObservedSession, Onlooker } from '../sessions/session-parts.ts';
import { createTracerProvider } from './exporter.ts';
import { OpenTurns } from './open-turns.ts';
import { beginTurn, callChanged, callJudged, type TurnSpans } from './turn-spans.ts';

export interface TracingOptions {
  readonly settings: TelemetrySettings;
  /** Fields of W3C Trace Context of the request that is served now. */
  readonly trace: () => Readonly<Record<string, string>>;
  readonly report: Report;
}

export interface Tracing {
  readonly observer: Onlooker;
  /** Header fields for what a call asks elsewhere; none for a turn that is not known. */
  readonly headersFor: (turnId: string, toolUseId: string) => Readonly<Record<string, string>>;
  /** The same for what hooks are asked about a call of the turn that runs in a session, or about that turn. */
  readonly headersIn: (sessionId: string, toolUseId: string | undefined) => Readonly<Record<string, string>>;
  /** Hooks and rules begin to look at a call of the turn that runs in a session. */
  readonly judging: (sessionId: string, toolUseId: string) => void;
  /** True when the call of the turn that runs in a session has a place in its trace. */
  readonly knows: (sessionId: string, toolUseId: string) => boolean;
  /** Ends what is open and sends what is left, within some seconds. Never throws. */
  close(): Promise<void>;
}

/** Milliseconds that the collector has for what is left when the service stops. */
const GOODBYE_MS = 5_000;

export function createTracing({ settings, trace, report }: TracingOptions): Tracing {
  const provider = createTracerProvider(settings, report);
  const tracer = provider.getTracer('toolexec');
  const propagator = new W3CTraceContextPropagator();
  const turns = new OpenTurns();

  /** An agent's turn belongs to the call that wants it, all others to the request that has asked for them. */
  function parentOf({ child }: ObservedSession): Context {
    if (child === undefined) return propagator.extract(ROOT_CONTEXT, trace(), defaultTextMapGetter);
    const parent = turns.find(child.turnId);
    return parent?.calls.get(child.toolUseId)?.context ?? parent?.context ?? ROOT_CONTEXT;
  }

  function headersOf(open: TurnSpans | undefined, toolUseId: string | undefined): Readonly<Record<string, string>> {
    const carrier: Record<string, string> = {};
    // What a call that only reads asks may come before it is told of.
    const context = open?.calls.get(toolUseId ?? '')?.context ?? open?.context;
    if (context !== undefined) propagator.inject(context, carrier, defaultTextMapSetter);
    return carrier;
  }

  return {
    observer: {
      turnQueued: (record, session) => turns.add(record, beginTurn(tracer, parentOf(session), { record, session })),
      turnStarted: ({ id }) => turns.begin(id),
      callChanged(event, record) {
        const open = turns.find(record.id);
        if (open !== undefined) callChanged(open, event, record);
      },
      turnEnded: (record) => turns.end(record, record.status),
      turnLeft: (record) => turns.end(record, 'unfinished'),
    },
    headersFor: (turnId, toolUseId) => headersOf(turns.find(turnId), toolUseId),
    headersIn: (sessionId, toolUseId) => headersOf(turns.runningIn(sessionId), toolUseId),
    judging(sessionId, toolUseId) {
      const open = turns.runningIn(sessionId);
      if (open !== undefined) callJudged(open, toolUseId);
    },
    knows: (sessionId, toolUseId) => turns.runningIn(sessionId)?.calls.has(toolUseId) === true,
    async close() {
      turns.leaveAll();
      await settlesWithin(provider.shutdown(), GOODBYE_MS).catch(() => {
        // Whoever runs the service was told when it could not be sent.
      });
    },
  };
}
