// What a start loads. Each package that it does not need keeps everybody waiting, every time.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';

/** Of the dependencies, those that every service uses from its first request on. Load another one where it is first used. */
const AT_THE_START = [
  '@fastify/cors',
  '@fastify/rate-limit',
  '@fastify/static',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  '@fastify/websocket',
  '@opentelemetry/api',
  '@prometheus-io/client',
  'chardet',
  'croner',
  'diff',
  'fastify',
  'fastify-plugin',
  'fastify-type-provider-zod',
  'iconv-lite',
  'ipaddr.js',
  'lru-cache',
  'minisearch',
  'p-queue',
  'pino',
  're2js',
  'unbash',
  'ws',
  'yaml',
  'zod',
];

/** Starts the service with its defaults, and prints what was loaded until it listens. */
const START = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  const { buildApp } = await import(${JSON.stringify(new URL('../src/app.ts', import.meta.url).href)});
  const { readConfig } = await import(${JSON.stringify(new URL('../src/config.ts', import.meta.url).href)});
  const app = await buildApp({ config: readConfig({ TOOLEXEC_PORT: '0', TOOLEXEC_DATA_DIR: process.argv[1] }), logger: undefined });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const loaded = { urls, builtIn: process.moduleLoadList };
  process.stdout.write(JSON.stringify(loaded), () => void app.close().then(() => process.exit()));
`;

interface Loaded {
  readonly urls: readonly string[];
  readonly builtIn: readonly string[];
}

async function loadedByStart(): Promise<Loaded> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-start-up-'));
  try {
    const args = ['--input-type=module', '--eval', START, dataDir];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
    return JSON.parse(stdout) as Loaded;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

describe('a start with the defaults', () => {
  let loaded: Loaded;
  before(async () => {
    loaded = await loadedByStart();
  });

  test('loads no package that only some services need', async () => {
    const { dependencies } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const names = new Set(loaded.urls.map((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? ''));
    assert.ok(names.has('fastify'), 'what is loaded is seen at all');
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => names.has(name) && !AT_THE_START.includes(name)),
      [],
    );
  });

  test('loads no store, server or agent but the one that keeps its sessions', () => {
    const files = loaded.urls.filter((url) => /\/src\/(store\/redis|mcp\/client\/connection|language-servers\/running-server)/.test(url));
    assert.deepEqual(files, []);
  });

  test('does not load the client of fetch, which an import of node:http would bring', () => {
    assert.ok(loaded.builtIn.includes('NativeModule http'), 'what is loaded is seen at all');
    assert.ok(!loaded.builtIn.includes('NativeModule internal/deps/undici/undici'));
  });
});
