// What is deployed: the manifests are valid, and what they name is there.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../src/config.ts';

const DEPLOY = fileURLToPath(new URL('../deploy', import.meta.url));
const KUBERNETES = join(DEPLOY, 'kubernetes');

/** Any YAML: what is read from it is asserted. */
// oxlint-disable-next-line typescript/no-explicit-any
type Yaml = any;
interface Model {
  validate(): void;
}
type ModelClass = new (data: never) => Model;
const MODELS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  v1: core,
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
};

const read = (...path: string[]): string => readFileSync(join(KUBERNETES, ...path), 'utf8');
const documents = (folder: string, file: string): Yaml[] => parseAllDocuments(read(folder, file)).map((document) => document.toJS());
const resourcesOf = (folder: string): Yaml[] =>
  (parse(read(folder, 'kustomization.yaml')) as { resources: string[] }).resources
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => documents(folder, name));
const found = (resources: Yaml[], kind: string): Yaml => {
  const [first, ...others] = resources.filter((resource) => resource.kind === kind);
  assert.ok(first !== undefined && others.length === 0, `one ${kind}`);
  return first;
};

describe('on Kubernetes', () => {
  const base = resourcesOf('base');
  const deployment = found(base, 'Deployment');
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  test('every manifest is valid by the schemas of Kubernetes', () => {
    const all = [...base, ...resourcesOf('redis')];
    assert.ok(all.length >= 10);
    for (const manifest of all) {
      const Class = MODELS[manifest.apiVersion as string]?.[manifest.kind as string] as ModelClass | undefined;
      assert.ok(Class, `${manifest.apiVersion} ${manifest.kind}`);
      new Class(manifest as never).validate();
    }
    assert.throws(() => new apps.Deployment({ spec: { replicas: 'two' } } as never).validate(), 'the validator does validate');
  });

  test('every file is one that kustomize takes', () => {
    for (const folder of readdirSync(KUBERNETES)) {
      const kustomization = parse(read(folder, 'kustomization.yaml')) as { resources: string[]; patches?: { path?: string }[] };
      const named = [
        ...kustomization.resources.filter((name) => name.endsWith('.yaml')),
        ...(kustomization.patches ?? []).flatMap(({ path }) => path ?? []),
      ];
      assert.deepEqual(
        readdirSync(join(KUBERNETES, folder))
          .filter((name) => name !== 'kustomization.yaml')
          .toSorted(),
        named.toSorted(),
        folder,
      );
    }
  });

  test('whatever selects pods selects those of the service', () => {
    const labels = deployment.spec.template.metadata.labels;
    assert.deepEqual(deployment.spec.selector.matchLabels, labels);
    assert.deepEqual(found(base, 'Service').spec.selector, labels);
    assert.deepEqual(found(base, 'PodDisruptionBudget').spec.selector.matchLabels, labels);
    assert.deepEqual(found(base, 'NetworkPolicy').spec.podSelector.matchLabels, labels);
    assert.equal(found(base, 'HorizontalPodAutoscaler').spec.scaleTargetRef.name, deployment.metadata.name);
  });

  test('the settings are ones that the service takes, and it would start with them', () => {
    const settings = found(base, 'ConfigMap').data as Record<string, string>;
    const own = Object.fromEntries(container.env.map(({ name, value }: Yaml) => [name, value]));
    const config = readConfig({
      ...settings,
      TOOLEXEC_API_KEYS: 'me:a-key-of-some-length',
      TOOLEXEC_STORE: 'redis://toolexec-redis:6379',
      TOOLEXEC_ADVERTISE_URL: own['TOOLEXEC_ADVERTISE_URL'].replace('$(POD_IP)', '10.0.0.7'),
    });
    assert.deepEqual(config.unknownVariables, []);
    assert.ok(config.drainGraceMs + 10_000 < pod.terminationGracePeriodSeconds * 1000, 'a drain ends before the pod is killed');
  });

  test('a pod has no rights that it does not need, and what it mounts is there', () => {
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const volumes = new Map<string, Yaml>(pod.volumes.map((volume: Yaml) => [volume.name, volume]));
    for (const { name } of container.volumeMounts) assert.ok(volumes.has(name), name);
    assert.equal(volumes.get('data').persistentVolumeClaim.claimName, found(base, 'PersistentVolumeClaim').metadata.name);
    assert.deepEqual(found(base, 'PersistentVolumeClaim').spec.accessModes, ['ReadWriteMany']);
  });

  test('a command runs out of memory before its pod does', () => {
    const bytes = Number(found(base, 'ConfigMap').data.TOOLEXEC_COMMAND_MEMORY_BYTES);
    assert.ok(bytes < Number.parseInt(container.resources.limits.memory, 10) * 1024 ** 3);
  });
});

describe('with Docker Compose', () => {
  const compose: Yaml = parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'), { merge: true });
  const balancer = readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8');
  const nodes = Object.entries<Yaml>(compose.services).filter(([, service]) => service.build !== undefined);

  test('two nodes share a Redis that loses nothing, a data directory, and what balances the load', () => {
    assert.equal(nodes.length, 2);
    const redis = compose.services.redis.command.join(' ');
    assert.match(redis, /--appendonly yes/);
    assert.match(redis, /--maxmemory-policy noeviction/);
    for (const [name, node] of nodes) {
      assert.match(balancer, new RegExp(`\\b${name}:8080\\b`));
      assert.ok(node.volumes.includes('data:/data'));
      assert.ok(node.depends_on.redis);
    }
    assert.deepEqual(
      compose.services['load-balancer'].depends_on,
      nodes.map(([name]) => name),
    );
  });

  test('the settings are ones that the service takes, and a drain ends before the container is killed', () => {
    for (const [, node] of nodes) {
      const given = Object.fromEntries(
        Object.entries<string>(node.environment).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]),
      );
      const config = readConfig({ ...given, TOOLEXEC_API_KEYS: 'me:a-key-of-some-length', TOOLEXEC_WORKSPACE_ROOTS: DEPLOY });
      assert.deepEqual(config.unknownVariables, []);
      assert.ok(config.drainGraceMs + 10_000 < Number.parseInt(node.stop_grace_period, 10) * 1000);
    }
  });
});
