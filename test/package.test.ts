// The package as it is published: packed by npm from a copy of the project, unpacked elsewhere, and used there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { IN_CONSOLE, PROJECT, shippedPackages } from '../scripts/lock-file.ts';
import { licenceFaults } from '../scripts/notices.ts';
import { startCommand } from './cli/command.ts';
import type { Json } from './support/server.ts';

const run = promisify(execFile);
/** What a build is made of. */
const SOURCES = ['.npmrc', 'package.json', 'package-lock.json', 'tsconfig.json', 'bin', 'docs', 'routes', 'scripts', 'src', 'tools'];
const BESIDE = ['AGENTS.md', 'CHANGELOG.md', 'DECISIONS.md', 'LICENSE', 'README.md', 'asyncapi.yaml', 'openapi.yaml', 'web/dist'];
const read = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');
const manifest = JSON.parse(await read('package.json')) as Json;

let directory: string;
/** Where it is installed. */
let installed: string;
/** What npm tells of it. */
let packed: { readonly filename: string; readonly size: number; readonly files: readonly { readonly path: string }[] };

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolexec-package-'));
  const project = join(directory, 'project');
  for (const source of [...SOURCES, ...BESIDE]) {
    await cp(join(PROJECT, source), join(project, source), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  }
  await symlink(join(PROJECT, 'node_modules'), join(project, 'node_modules'));
  // Types are checked elsewhere, which takes two thirds of the time; what is emitted is the same.
  const { compilerOptions, ...rest } = JSON.parse(await read('tsconfig.json')) as Json;
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ ...rest, compilerOptions: { ...compilerOptions, noCheck: true, noResolve: true } }),
  );
  const pack = ['pack', '--json', '--ignore-scripts=false', '--pack-destination', directory];
  const env = { PATH: process.env['PATH'], HOME: directory, npm_config_update_notifier: 'false' };
  const { stdout } = await run('npm', pack, { cwd: project, env, maxBuffer: 16 * 1024 ** 2 });
  [packed] = JSON.parse(stdout) as [typeof packed];
  installed = await install(join(directory, packed.filename));
});

after(() => rm(directory, { recursive: true, force: true }));

/** As npm does it, with the packages that it names and no other. */
async function install(tarball: string): Promise<string> {
  const modules = join(directory, 'node_modules');
  const own = join(modules, 'toolexec');
  await mkdir(own, { recursive: true });
  await run('tar', ['--extract', '--file', tarball, '--strip-components=1', '--directory', own]);
  const { dependencies, optionalDependencies } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8')) as Json;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(PROJECT, 'node_modules', name), join(modules, name));
  }
  await mkdir(join(modules, '.bin'));
  await symlink(process.execPath, join(modules, '.bin/node'));
  return own;
}

describe('the package', () => {
  test('holds what it runs with and what one reads about it', async () => {
    const paths = new Set(packed.files.map(({ path }) => path));
    const needed = 'bin/toolexec.js dist/src/server.js dist/web/dist/index.html dist/sbom.json dist/THIRD_PARTY_NOTICES.txt';
    for (const path of `${needed} LICENSE README.md CHANGELOG.md AGENTS.md DECISIONS.md openapi.yaml asyncapi.yaml docs/security.md`.split(
      ' ',
    ))
      assert.ok(paths.has(path), path);
    const tools = (await readdir(join(PROJECT, 'tools'), { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const scripts = (await readdir(join(PROJECT, 'src/store/redis/scripts'))).filter((name) => name.endsWith('.lua'));
    assert.ok(tools.length > 20 && scripts.length > 10);
    for (const { name } of tools)
      for (const file of ['index.js', 'description.md']) assert.ok(paths.has(`dist/tools/${name}/${file}`), name);
    for (const name of scripts) assert.ok(paths.has(`dist/src/store/redis/scripts/${name}`), name);
  });

  test('holds no tests, no TypeScript, no maps, nothing hidden, and stays small', () => {
    const kept = /\.(tsx?|map)$|\.test\.|(^|\/)\.|^(test|bench|chaos|scripts|src|client|node_modules)\//;
    assert.deepEqual(
      packed.files.filter(({ path }) => kept.test(path)),
      [],
    );
    assert.ok(packed.size < 2 * 1024 ** 2, `${packed.size} bytes`);
  });

  test('serves where it is installed: sessions, files, the console, its documents', async () => {
    const env = { TOOLEXEC_PORT: '0', TOOLEXEC_DATA_DIR: join(directory, 'data'), NODE_COMPILE_CACHE: join(directory, 'compiled') };
    const { child, printed } = startCommand(['serve'], { env, cwd: directory, launcher: join(installed, 'bin/toolexec.js') });
    try {
      while (!printed.stdout.includes('"address"')) {
        assert.equal(child.exitCode, null, printed.stderr);
        await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      }
      const [, url = ''] = /"address":"([^"]+)"/.exec(printed.stdout) ?? [];
      const post = async (path: string, body: object): Promise<Json> => {
        const reply = await fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        assert.ok(reply.ok, `${path}: ${await reply.clone().text()}\n${printed.stdout}`);
        return (await reply.json()) as Json;
      };
      const { id } = await post('/v1/sessions', { permissions: { mode: 'acceptEdits' } });
      const { messages } = await post(`/v1/sessions/${id}/messages`, {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'w', name: 'Write', input: { file_path: 'a.txt', content: 'hello' } },
          { type: 'tool_use', id: 'r', name: 'Read', input: { file_path: 'a.txt' } },
          { type: 'tool_use', id: 'g', name: 'Grep', input: { pattern: 'hello' } },
          { type: 'tool_use', id: 'b', name: 'Bash', input: { command: 'cat a.txt' } },
        ],
      });
      const results = messages[0].content as Json[];
      assert.deepEqual(
        results.map(({ is_error }) => is_error),
        [false, false, false, false],
        JSON.stringify(results),
      );
      assert.match(results[1]?.['content'], /hello/);
      const page = await (await fetch(`${url}/console`)).text();
      const assets = [...page.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
      assert.ok(assets.length >= 2);
      for (const path of ['/docs/', '/docs/static/swagger-ui.css', '/asyncapi.yaml', ...assets]) {
        assert.equal((await fetch(`${url}${path}`)).status, 200, path);
      }
      const { info } = (await (await fetch(`${url}/openapi.json`)).json()) as Json;
      assert.equal(info.version, manifest['version']);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'close'), [0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('runs on an old Node with the one that was installed beside it', async () => {
    const old = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } });';
    const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, join(installed, 'bin/toolexec.js'), '--version'];
    assert.equal((await run(process.execPath, args)).stdout, `${manifest['version']}\n`);
  });

  test('keeps its modules to itself', async () => {
    const imports = `import 'toolexec/package.json' with { type: 'json' };\nawait import('toolexec/dist/src/app.js');`;
    await writeFile(join(directory, 'deep.mjs'), imports);
    await assert.rejects(
      run(process.execPath, [join(directory, 'deep.mjs')]),
      /ERR_PACKAGE_PATH_NOT_EXPORTED.*dist\/src\/app\.js|dist\/src\/app\.js.*not defined by "exports"/,
    );
  });
});

describe('what comes with the package', () => {
  test('is named with version and licence in its bill of materials', async () => {
    const { metadata, components } = JSON.parse(await readFile(join(installed, 'dist/sbom.json'), 'utf8')) as Json;
    assert.deepEqual([metadata.component.name, metadata.component.version], ['toolexec', manifest['version']]);
    const listed = new Set((components as Json[]).map(({ name, version, licenses }) => [name, version, licenceOf(licenses)].join(' ')));
    const shipped = new Set(shippedPackages().map(({ name, version, license }) => [name, version, license].join(' ')));
    assert.ok(shipped.size > 200 && [...shipped].some((one) => one.startsWith('zod ')));
    assert.deepEqual([...listed].toSorted(), [...shipped].toSorted());
  });

  test('has its licence in the notices, with the text', async () => {
    const notices = await readFile(join(installed, 'dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
    for (const { name, version, license } of shippedPackages()) assert.ok(notices.includes(`\n${name} ${version} (${license})\n`), name);
    for (const text of ['Copyright (c) 2015-present Jason Miller', 'On libvips', 'fribidi']) assert.ok(notices.includes(text), text);
  });

  test('is under licences that were agreed on, or there is no release', () => {
    assert.deepEqual(licenceFaults(shippedPackages()), []);
    const faultsOf = (name: string, license?: string) => licenceFaults([{ name, version: '1.0.0', ...(license && { license }) }]);
    assert.match(faultsOf('a')[0] ?? '', /^a@1\.0\.0 has no licence/);
    for (const license of [
      'GPL-3.0-only',
      'LGPL-3.0-or-later',
      'MIT AND GPL-3.0-only',
      '(MIT OR GPL-3.0-only) AND GPL-3.0-only',
      'UNLICENSED',
      'SEE LICENSE IN LICENSE',
    ]) {
      assert.match(faultsOf('a', license)[0] ?? '', /^a@1\.0\.0 is under .*, which is not permitted/, license);
    }
    for (const license of ['MIT', 'GPL-3.0-only OR MIT', 'MIT AND ISC']) assert.deepEqual(faultsOf('a', license), []);
    assert.deepEqual(faultsOf('@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later'), []);
  });

  test('includes whatever is built into the console', async () => {
    const files = (await readdir(join(PROJECT, 'web/src'), { recursive: true })).filter((name) => /\.tsx?$/.test(name));
    const texts = await Promise.all(files.map((name) => read(join('web/src', name))));
    const imported = new Set(texts.flatMap((text) => [...text.matchAll(/ from '((?:@[^/']+\/)?[^./'][^/']*)/g)].map(([, name]) => name)));
    assert.ok(imported.has('preact'));
    assert.deepEqual(
      [...imported].filter((name) => !IN_CONSOLE.includes(name ?? '')),
      [],
    );
  });
});

test('one version is told everywhere', async () => {
  const { version } = manifest;
  const [lock, client, openapi, asyncapi] = await Promise.all(
    ['package-lock.json', 'client/package.json', 'openapi.yaml', 'asyncapi.yaml'].map(async (file) => parse(await read(file)) as Json),
  );
  assert.deepEqual([lock?.['version'], lock?.['packages']['']['version'], client?.['version']], [version, version, version]);
  assert.deepEqual([openapi?.['info'].version, asyncapi?.['info'].version], [version, version]);
  const { images } = parse(await read('deploy/kubernetes/base/kustomization.yaml')) as Json;
  assert.equal(images[0].newTag, version);
  for (const file of ['Dockerfile', 'README.md', 'client/README.md']) {
    const named = [...(await read(file)).matchAll(/toolexec(?:-client)?[-:@](\d+\.\d+\.\d+)/g)].map(([, number]) => number);
    assert.deepEqual([...new Set(named)], [version], file);
  }
  assert.match(await read('CHANGELOG.md'), new RegExp(`^## ${version} - \\d{4}-\\d\\d-\\d\\d$`, 'm'));
});

function licenceOf(licenses: readonly Json[]): unknown {
  return licenses[0]?.['expression'] ?? licenses[0]?.['license'].id;
}
