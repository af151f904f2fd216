import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };

function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return assert.fail(`${JSON.stringify(environment)} was taken`);
}

describe('the settings of traces', () => {
  test('are none without an endpoint, and where traces are switched off', () => {
    assert.equal(readConfig({ OTEL_SERVICE_NAME: 'x' }).telemetry, undefined);
    assert.equal(readConfig({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }).telemetry, undefined);
    assert.equal(readConfig({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }).telemetry, undefined);
    assert.equal(readConfig({ ...ENDPOINT }).telemetry?.url, 'http://collector:4318/v1/traces');
  });

  test('of traces alone win over those for all signals', () => {
    const telemetry = readConfig({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:4318/as/it/is',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1, b=two%20words',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=3',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=from-attributes,region=eu',
    }).telemetry;
    assert.equal(telemetry?.url, 'http://traces:4318/as/it/is');
    assert.deepEqual(telemetry?.headers, { a: '3', b: 'two words' });
    assert.equal(telemetry?.timeoutMs, 2_000);
    assert.deepEqual(telemetry?.attributes, { 'service.name': 'from-attributes', region: 'eu' });
  });

  test('that are wrong stop the start with one line, which shows no secret', () => {
    for (const [name, value, reason] of [
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', /OTEL_EXPORTER_OTLP_ENDPOINT is .*give a URL/],
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": .*4318/],
      ['OTEL_TRACES_SAMPLER', 'sometimes', /OTEL_TRACES_SAMPLER is "sometimes": give one of always_on/],
      ['OTEL_TRACES_SAMPLER_ARG', '2', /OTEL_TRACES_SAMPLER_ARG is/],
      ['OTEL_BSP_MAX_QUEUE_SIZE', 'many', /OTEL_BSP_MAX_QUEUE_SIZE is "many": give a whole number/],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization canary', /^OTEL_EXPORTER_OTLP_HEADERS cannot be read: give name=value/],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%canary', /^OTEL_EXPORTER_OTLP_HEADERS cannot be read: give name=value/],
    ] as const) {
      const message = refusal({ ...ENDPOINT, [name]: value });
      assert.match(message, reason);
      assert.ok(!message.includes('canary') && !message.includes('\n'));
    }
  });

  test('are never told as unknown', () => {
    assert.deepEqual(readConfig({ ...ENDPOINT, OTEL_LOG_LEVEL: 'debug', OTEL_PROPAGATORS: 'b3' }).unknownVariables, []);
  });
});
