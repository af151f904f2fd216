// What is drawn and watched elsewhere is told here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { startServer, type TestServer } from '../support/server.ts';

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly schemaVersion: number;
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}
interface Alerts {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

/** Told by Prometheus itself. */
const OF_PROMETHEUS = new Set(['up']);
const FUNCTIONS = new Set(['sum', 'by', 'le', 'rate', 'increase', 'max', 'and', 'histogram_quantile', 'clamp_min']);

function readDeployed(path: string): string {
  return readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');
}

/** The names of metrics in a query, and the labels that it asks of each. */
function metricsIn(expr: string): { name: string; labels: string[] }[] {
  const bare = expr.replaceAll(/\bby \([^)]*\)/g, '');
  return [...bare.matchAll(/\b([a-z][a-z0-9_]{1,})\b(?:\{([^}]*)\})?(?!\s*\()/g)].flatMap(([, name = '', labels = '']) =>
    FUNCTIONS.has(name) || OF_PROMETHEUS.has(name) || !name.includes('_')
      ? []
      : [{ name, labels: [...labels.matchAll(/(\w+)(?==|!=)/g)].map(([, label = '']) => label) }],
  );
}

/** Names of metrics as a server tells them, with what a histogram adds. */
async function toldBy(server: TestServer): Promise<Set<string>> {
  const text = (await server.request('GET', '/metrics')).body['text'] as string;
  return new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

function assertTold(told: ReadonlySet<string>, expr: string, where: string): void {
  const names = metricsIn(expr).map(({ name }) => name);
  assert.ok(names.length > 0 || [...OF_PROMETHEUS].some((name) => expr.includes(`${name}{`)), `${where} asks for nothing: ${expr}`);
  for (const name of names) assert.ok(told.has(name), `${where} asks for ${name}, which /metrics does not tell`);
}

describe('every query', () => {
  test('of the dashboard asks for a metric that there is', async (t) => {
    const told = await toldBy(await startServer(t));
    const { panels, templating, schemaVersion, uid } = JSON.parse(readDeployed('grafana/dashboard.json')) as Dashboard;
    assert.ok(schemaVersion >= 36 && uid !== '');
    const drawn = panels.filter(({ type }) => type !== 'row');
    assert.ok(drawn.length > 15);
    for (const { title, targets = [], gridPos } of drawn) {
      assert.ok(targets.length > 0, title);
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (const { expr } of targets) {
        assertTold(told, expr, title);
        for (const [, variable = ''] of expr.matchAll(/\$(\w+)/g)) {
          assert.ok(variable.startsWith('__') || templating.list.some(({ name }) => name === variable), `${title}: $${variable}`);
        }
      }
    }
    const overlaps = drawn.flatMap((one, index) =>
      drawn
        .slice(index + 1)
        .filter((other) => overlap(one, other))
        .map(({ title }) => `${one.title} and ${title}`),
    );
    assert.deepEqual(overlaps, []);
    const asked = new Set(drawn.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr).map(({ name }) => name))));
    const ours = [...told].filter((name) => name.startsWith('toolexec_') && !/_(sum|count)$/.test(name));
    assert.deepEqual(
      ours.filter((name) => !asked.has(name)),
      [],
      'and every metric of the service is drawn',
    );
  });

  test('of the alerts asks for a metric that there is, waits, and says what to do', async (t) => {
    const told = await toldBy(await startServer(t));
    const rules = (parse(readDeployed('prometheus/alerts.yaml')) as Alerts).groups.flatMap((group) => group.rules);
    assert.ok(rules.length > 5);
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
    for (const { alert, expr, for: wait, labels, annotations } of rules) {
      assertTold(told, expr, alert);
      assert.match(wait, /^\d+m$/);
      assert.match(labels.severity, /^(critical|warning|info)$/);
      assert.ok(annotations.summary.length > 10 && annotations.description.length > 10, alert);
    }
  });
});

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
