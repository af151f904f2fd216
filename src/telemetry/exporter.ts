// Spans on their way to the collector: in batches, from a queue with an end, and never in the way of a turn.
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Report } from '../contract/index.ts';
import type { TelemetrySettings } from '../config/telemetry.ts';

/** Milliseconds in which a collector that does not answer is told of once. */
const TOLD_EVERY_MS = 60_000;
/** Characters of a value: names that models make up may be long. */
const MAX_VALUE_CHARS = 256;

type ExporterOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;

export function createTracerProvider(settings: TelemetrySettings, report: Report): TracerProvider {
  const { url, headers, timeoutMs, compression, attributes, sampler, batches } = settings;
  const exporter = new OTLPTraceExporter({
    url,
    headers,
    timeoutMillis: timeoutMs,
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- their enum is in a package that is not ours to import
    compression: compression as NonNullable<ExporterOptions['compression']>,
  });
  return new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(attributes)),
    sampler: samplerOf(sampler),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARS },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporter, report),
        scheduledDelayMillis: batches.delayMs,
        exportTimeoutMillis: batches.timeoutMs,
        maxQueueSize: batches.queueSize,
        maxExportBatchSize: Math.min(batches.size, batches.queueSize),
      }),
    ],
  });
}

function samplerOf({ name, ratio }: TelemetrySettings['sampler']): Sampler {
  const root = name.endsWith('traceidratio')
    ? new TraceIdRatioBasedSampler(ratio)
    : name.endsWith('always_on')
      ? new AlwaysOnSampler()
      : new AlwaysOffSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** What could not be sent is lost: whoever runs the service is told, now and then. */
function reporting(exporter: OTLPTraceExporter, report: Report): SpanExporter {
  let toldAt = -Infinity;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.code === ExportResultCode.FAILED && now - toldAt > TOLD_EVERY_MS) {
          toldAt = now;
          report('traces could not be sent to the collector', result.error);
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}
