// Which way imports may point. The rules are the map of the project: a wrong arrow fails here, by name.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { codeOf, findRings, importsOf, readSources, type Import } from './support/import-graph.ts';

interface Layer {
  /** What its files may import of ours, beside their own folder: files and folders. */
  readonly may: readonly string[];
  /** What they may import of ours as types alone. */
  readonly mayNameTypesOf?: readonly string[];
  /** Everything else they may import: packages and built-in modules. All when absent. */
  readonly packages?: readonly string[];
}

/** Plain functions that several tools share, as tools do not know each other. */
const FOR_TOOLS = ['src/shell', 'src/search', 'src/workspace/content'];
/** Schemas of what clients send, which the documents are made of. */
const FRAME_SCHEMAS = ['src/sessions/input/client-frames.ts', 'src/sessions/settings/session-options.ts'];

/** Schemas of what clients bring to a session. */
const SETTINGS_SCHEMAS = ['src/custom/definition.ts', 'src/mcp/client/server-settings.ts'];

const LAYERS: Readonly<Record<string, Layer>> = {
  'src/contract': { may: [], packages: ['zod', 'node:fs', 'node:fs/promises', 'node:stream'] },
  'src/engine': { may: ['src/contract'], packages: ['p-queue', 'node:timers/promises', 'node:util'] },
  'src/sessions': { may: ['src/contract', 'src/engine', 'src/formats', ...SETTINGS_SCHEMAS] },
  'src/plugins': {
    may: ['src/cluster', 'src/contract', 'src/formats', ...FRAME_SCHEMAS],
    mayNameTypesOf: ['src/sessions', 'src/config.ts'],
  },
  'src/telemetry': { may: ['src/contract'], mayNameTypesOf: ['src/sessions', 'src/config'] },
  'src/config': { may: ['src/contract'] },
  'src/config.ts': { may: ['src/config', 'src/contract'] },
  'src/app.ts': { may: ['src', 'routes'] },
  'src/composition': { may: ['src'] },
  'src/cli': { may: ['src'] },
  'src/server.ts': { may: ['src/app.ts', 'src/compile-early.ts', 'src/config.ts'] },
  routes: { may: ['src/contract', 'src/formats', 'src/sessions', 'src/plugins', 'src/mcp/server', 'src/engine/release/channel.ts'] },
  tools: { may: ['src/contract', ...FOR_TOOLS] },
};
/** Every other folder of src is one concern, and knows nothing of the others. */
const CONCERN: Layer = { may: ['src/contract'] };

const FASTIFY = /^(fastify|fastify-.+|@fastify\/.+)$/;
const KNOWS_FASTIFY = ['src/app.ts', 'src/server.ts', 'src/plugins', 'routes'];
/** `server.ts` and the command hand the environment to `config.ts` and read nothing of it. */
const KNOWS_ENVIRONMENT = ['src/config.ts', 'src/server.ts', 'src/cli'];
/** Where the name of a tool stands for something else. */
const NOT_A_TOOL = [
  { file: 'src/plugins/documents/document-examples.ts', why: 'examples of calls, for readers of the documents' },
  { file: 'src/toolbox/search/deferral.ts', name: 'ToolSearch', why: 'the tool that loads the others, which is always there' },
  { file: 'src/shell', name: 'Glob', why: 'a kind of word in the syntax tree of a command line' },
];

const root = fileURLToPath(new URL('../', import.meta.url));
const sources = readSources(root);
const imports = sources.flatMap(importsOf);

describe('imports', () => {
  test('point only where the map of the project lets them', () => {
    assert.ok(imports.length > 300, 'the imports are read at all');
    assert.deepEqual(imports.flatMap(faults), []);
  });

  test('lead to files that are there', () => {
    const paths = new Set(sources.map(({ path }) => path));
    assert.deepEqual(
      imports.filter(({ to }) => to.endsWith('.ts') && !paths.has(to)),
      [],
    );
  });

  test('never form a ring, not even of types', () => {
    assert.deepEqual(
      findRings(imports).map((ring) => ring.join(' → ')),
      [],
    );
  });

  const wrong: [from: string, to: string, typeOnly?: 'type'][] = [
    ['src/contract/tool.ts', 'src/engine/release/channel.ts'],
    ['src/contract/tool.ts', 'node:child_process'],
    ['src/engine/call/run-call.ts', 'src/sessions/session.ts', 'type'],
    ['src/engine/call/run-call.ts', 'node:fs'],
    ['src/engine/call/run-call.ts', 'fastify'],
    ['src/formats/anthropic.ts', 'src/engine/release/channel.ts'],
    ['src/permissions/mode-policy.ts', 'src/shell/parse.ts'],
    ['src/store/sqlite.ts', 'src/sessions/session.ts', 'type'],
    ['src/mcp/client.ts', 'src/network/fetch.ts'],
    ['src/store/sqlite.ts', 'src/config.ts'],
    ['src/cluster/forward-request.ts', 'src/sessions/registry/registry.ts', 'type'],
    ['src/cluster/forward-request.ts', 'fastify', 'type'],
    ['src/sessions/session.ts', 'src/cluster/whereabouts.ts'],
    ['src/sessions/session.ts', 'src/store/sqlite.ts'],
    ['src/sessions/session.ts', 'routes/schemas.ts'],
    ['src/sessions/session.ts', 'fastify', 'type'],
    ['src/plugins/access/auth.ts', 'src/sessions/session.ts'],
    ['src/plugins/access/auth.ts', 'src/config.ts'],
    ['src/plugins/access/auth.ts', 'routes/schemas.ts'],
    ['routes/sessions.ts', 'src/store/sqlite.ts'],
    ['routes/sessions.ts', 'src/engine/run-tools.ts'],
    ['routes/sessions.ts', 'src/config.ts', 'type'],
    ['routes/sessions.ts', 'src/app.ts', 'type'],
    ['src/app.ts', 'src/server.ts'],
    ['src/app.ts', 'tools/read/index.ts'],
    ['src/server.ts', 'src/sessions/registry/registry.ts'],
    ['tools/edit/index.ts', 'tools/read/index.ts'],
    ['tools/edit/index.ts', 'src/workspace/session-files.ts'],
    ['tools/edit/index.ts', 'fastify'],
  ];
  test('that point the wrong way on purpose are each caught', () => {
    const missed = wrong.filter(([from, to, type]) => faults({ from, to, typeOnly: type !== undefined }).length === 0);
    assert.deepEqual(missed, []);
    assert.deepEqual(faults({ from: 'src/engine/call/run-call.ts', to: 'src/store/sqlite.ts', typeOnly: false }), [
      'src/engine/call/run-call.ts imports src/store/sqlite.ts: src/engine may import src/contract and its own folder',
    ]);
  });

  test('of a ring made on purpose are told as the ring', () => {
    const edge = (from: string, to: string): Import => ({ from, to, typeOnly: false });
    assert.deepEqual(findRings([edge('a', 'b'), edge('b', 'c'), edge('c', 'b'), edge('a', 'c')]), [['b', 'c', 'b']]);
    assert.deepEqual(findRings([edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd')]), []);
  });

  test('are found in every form that the project writes them in', () => {
    const text = [
      "import a, { type B } from './a.ts';",
      "import type {\n  C,\n  D,\n} from '../c/d.ts';",
      "export * from './e.ts';",
      "import './f.ts';",
      "const g = await import('@scope/pkg/part');",
      "const h = new Worker(new URL('./h.ts', import.meta.url));",
      "import { readFile } from 'node:fs/promises';",
      "const text = 'a word from \\'nowhere\\'';",
    ].join('\n');
    assert.deepEqual(
      importsOf({ path: 'src/x/y.ts', text }).map(({ to, typeOnly }) => (typeOnly ? `type ${to}` : to)),
      ['src/x/a.ts', 'type src/c/d.ts', 'src/x/e.ts', 'node:fs/promises', 'src/x/f.ts', '@scope/pkg', 'src/x/h.ts'],
    );
  });
});

describe('the code', () => {
  test('reads the environment in one place', () => {
    assert.deepEqual(linesWith(/\bprocess\.env\b|from '(node:)?process'/, KNOWS_ENVIRONMENT), []);
  });

  test('never writes the name of a tool outside of its folder', () => {
    const names = toolNames();
    assert.ok(names.includes('Read'), 'the names are read at all');
    const found = names.flatMap((name) => {
      const allowed = NOT_A_TOOL.filter((exception) => exception.name === undefined || exception.name === name).map(({ file }) => file);
      return linesWith(new RegExp(`(['"\`])${name}\\1`), ['tools', ...allowed]);
    });
    assert.deepEqual(found, []);
  });
});

test('every tool keeps the promises of all tools', () => {
  const folders = readdirSync(join(root, 'tools'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const without = folders.filter(({ name }) => {
    const tests = readdirSync(join(root, 'tools', name)).filter((file) => file.endsWith('.test.ts'));
    return !tests.some((file) => readFileSync(join(root, 'tools', name, file), 'utf8').includes('toolSuite({'));
  });
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  );
});

/** What is wrong with one import, in words. */
function faults({ from, to, typeOnly }: Import): string[] {
  const [name, layer] = layerOf(from);
  const own = name === 'tools' ? from.split('/').slice(0, 2).join('/') : name;
  const isOurs = /^(src|routes|tools)\//.test(to);
  const said = (rule: string): string => `${from} imports ${to}: ${rule}`;
  if (!isOurs) {
    if (FASTIFY.test(to) && !isWithin(from, KNOWS_FASTIFY)) return [said(`only ${KNOWS_FASTIFY.join(', ')} know Fastify`)];
    const { packages } = layer;
    return packages === undefined || packages.includes(to) ? [] : [said(`${name} may use ${packages.join(', ')} alone`)];
  }
  if (to === 'src/server.ts') return [said('nothing imports the process itself')];
  const allowed = [own, ...layer.may, ...(typeOnly ? (layer.mayNameTypesOf ?? []) : [])];
  if (isWithin(to, allowed)) return [];
  const types = layer.mayNameTypesOf === undefined ? '' : `, types of ${layer.mayNameTypesOf.join(', ')}`;
  return [said(`${name} may import ${layer.may.join(', ') || 'nothing'}${types} and its own folder`)];
}

function layerOf(path: string): [name: string, layer: Layer] {
  const known = Object.entries(LAYERS).find(([name]) => isWithin(path, [name]));
  return known ?? [path.split('/').slice(0, 2).join('/'), CONCERN];
}

function isWithin(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

/** Lines of code, not of comments, as `file:line: text`. */
function linesWith(pattern: RegExp, except: readonly string[]): string[] {
  return sources
    .filter(({ path }) => !isWithin(path, except))
    .flatMap(({ path, text }) =>
      codeOf(text)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
}

/** As the tools say it themselves. */
function toolNames(): string[] {
  return sources
    .filter(({ path }) => /^tools\/[^/]+\/index\.ts$/.test(path))
    .flatMap(({ text }) => /\bname: '([A-Za-z]+)'/.exec(text)?.[1] ?? []);
}
