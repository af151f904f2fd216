// A collector of OpenTelemetry: takes spans as JSON over HTTP and keeps them.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';

export interface KeptSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of the service that sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface Collector {
  readonly url: string;
  readonly spans: KeptSpan[];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  /** Resolves with the first span that is so. @throws Error when none comes */
  span(isIt: (span: KeptSpan) => boolean): Promise<KeptSpan>;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What is sent, as far as tests look at it. */
interface Otlp {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: OtlpAttribute[] };
    readonly scopeSpans: { readonly spans: (Omit<KeptSpan, 'attributes' | 'resource'> & { attributes: OtlpAttribute[] })[] }[];
  }[];
}

const NEVER_MS = 30_000;

export async function startCollector(t: Pick<TestContext, 'after'>): Promise<Collector> {
  const spans: KeptSpan[] = [];
  const requests: Collector['requests'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
      requests.push({ path: request.url ?? '', headers: request.headers, text });
      spans.push(...spansIn(JSON.parse(text) as Otlp));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async span(isIt) {
      for (const until = performance.now() + NEVER_MS; performance.now() < until; await sleep(10)) {
        const found = spans.find(isIt);
        if (found !== undefined) return found;
      }
      throw new Error(`The span did not come. These did: ${spans.map(({ name }) => name).join(', ')}`);
    },
  };
}

function spansIn({ resourceSpans }: Otlp): KeptSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, attributes: plain(span.attributes), resource: plain(resource.attributes) })),
    ),
  );
}

function plain(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
