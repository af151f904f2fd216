// Where traces go, in the variables that OpenTelemetry has for every program. Without an endpoint there are none.
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { parseSettings } from './parse-settings.ts';
import { COUNT, httpUrl, oneOf, TIME, wholeText } from './setting-kinds.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** `name=value,…`, percent-encoded, as in the baggage of W3C. */
const pairs = z
  .string()
  .default('')
  .transform((text, context) => {
    const parts = text.split(',').filter((part) => part.trim() !== '');
    return Object.fromEntries(
      parts.map((part) => {
        const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
        // Values may be secrets: they are not shown.
        if (name === '' || !isDecodable(value))
          context.addIssue({ code: 'custom', message: 'give name=value, comma separated and percent-encoded' });
        return [name, isDecodable(value) ? decodeURIComponent(value) : ''];
      }),
    );
  });

const Variables = z.object({
  OTEL_SDK_DISABLED: z
    .string()
    .default('false')
    .transform((text) => text.toLowerCase() === 'true'),
  OTEL_TRACES_EXPORTER: oneOf('otlp', 'none').default('otlp'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: wholeText(TIME).default(10_000),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: wholeText(TIME).optional(),
  OTEL_EXPORTER_OTLP_COMPRESSION: oneOf('none', 'gzip').default('none'),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: oneOf('none', 'gzip').optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER: oneOf(...SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number({ error: 'give a number from 0 to 1' }).min(0).max(1).default(1),
  OTEL_BSP_SCHEDULE_DELAY: wholeText(TIME).default(5_000),
  OTEL_BSP_EXPORT_TIMEOUT: wholeText(TIME).default(30_000),
  OTEL_BSP_MAX_QUEUE_SIZE: wholeText(COUNT).default(2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: wholeText(COUNT).default(512),
});
const Pairs = z.object({
  OTEL_EXPORTER_OTLP_HEADERS: pairs,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs,
  OTEL_RESOURCE_ATTRIBUTES: pairs,
});

/** How traces are made and where they go. Times are milliseconds. */
export interface TelemetrySettings {
  /** Where spans are posted to, the path included. */
  readonly url: string;
  /** Secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  /** Of the resource, `service.name` among them. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: (typeof SAMPLERS)[number]; readonly ratio: number };
  readonly batches: { readonly delayMs: number; readonly timeoutMs: number; readonly queueSize: number; readonly size: number };
}

/** @returns `undefined` where there are to be no traces. @throws ConfigError */
export function telemetryOf(environment: Readonly<Record<string, string>>): TelemetrySettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = environment;
  if (all === undefined && own === undefined) return undefined;
  const env = parseSettings(Variables, environment, ([name = '']) => name);
  if (env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  assertProtocol(env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL);
  const named = namedPairs(environment);
  return {
    url: env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? `${env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/$/, '')}/v1/traces`,
    headers: { ...named.OTEL_EXPORTER_OTLP_HEADERS, ...named.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    timeoutMs: env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT,
    compression: env.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? env.OTEL_EXPORTER_OTLP_COMPRESSION,
    attributes: {
      'service.name': 'toolexec',
      ...named.OTEL_RESOURCE_ATTRIBUTES,
      ...(env.OTEL_SERVICE_NAME !== undefined && { 'service.name': env.OTEL_SERVICE_NAME }),
    },
    sampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
    batches: {
      delayMs: env.OTEL_BSP_SCHEDULE_DELAY,
      timeoutMs: env.OTEL_BSP_EXPORT_TIMEOUT,
      queueSize: env.OTEL_BSP_MAX_QUEUE_SIZE,
      size: env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
  };
}

/** Spans go out as JSON, which every collector takes where it takes protobuf over HTTP. */
function assertProtocol(protocol = 'http/json'): void {
  if (protocol === 'http/json' || protocol === 'http/protobuf') return;
  throw new ConfigError(
    `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}: spans are sent over HTTP alone. Set it to http/json, and the endpoint to the HTTP port of the collector, 4318 as a rule.`,
  );
}

/** @throws ConfigError that names the variable and shows nothing of it */
function namedPairs(environment: Readonly<Record<string, string>>): z.output<typeof Pairs> {
  const read = Pairs.safeParse(environment);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ConfigError(`${String(issue?.path[0])} cannot be read: ${issue?.message ?? 'it is wrong'}.`);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // A stray percent sign.
    return false;
  }
}
