import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from '../src/config.ts';

function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return assert.fail(`${JSON.stringify(environment)} was taken`);
}

describe('a setting', () => {
  for (const [name, value, message] of [
    ['TOOLEXEC_PORT', 'abc', 'TOOLEXEC_PORT is "abc": give a whole number from 0 to 65535.'],
    ['TOOLEXEC_PORT', '70000', 'TOOLEXEC_PORT is 70000: give a whole number from 0 to 65535.'],
    ['TOOLEXEC_PORT', '1e3', 'TOOLEXEC_PORT is "1e3": give a whole number from 0 to 65535.'],
    ['TOOLEXEC_DRAIN_GRACE_MS', '-1', 'TOOLEXEC_DRAIN_GRACE_MS is "-1": give a whole number from 0 to 86400000.'],
    ['TOOLEXEC_MAX_PROCESSES', '0', 'TOOLEXEC_MAX_PROCESSES is 0: give a whole number from 1 to 1000000000.'],
    ['TOOLEXEC_STORE', 'mysql://x', 'TOOLEXEC_STORE is "mysql://x": give sqlite, or redis[s]://user:password@host:port.'],
    ['TOOLEXEC_SANDBOX', 'on', 'TOOLEXEC_SANDBOX is "on": give one of off, auto, required, external.'],
    [
      'TOOLEXEC_COMMAND_MEMORY_BYTES',
      '2GiB',
      'TOOLEXEC_COMMAND_MEMORY_BYTES is "2GiB": give a whole number from 16777216 to 1125899906842624.',
    ],
    [
      'TOOLEXEC_AUTO_MODE_URL',
      'ftp://judge.example',
      'TOOLEXEC_AUTO_MODE_URL is "ftp://judge.example": give a URL that begins with http:// or https://.',
    ],
    [
      'TOOLEXEC_WORKSPACE_ROOTS',
      '/tmp,/nowhere',
      'TOOLEXEC_WORKSPACE_ROOTS has "/nowhere": give directories that are there, comma separated.',
    ],
    [
      'TOOLEXEC_ALLOWED_ORIGINS',
      'https://a.example, b.example',
      'TOOLEXEC_ALLOWED_ORIGINS has "b.example": give origins such as https://app.example.com, without a path, comma separated.',
    ],
    [
      'TOOLEXEC_ALLOWED_HOSTS',
      'https://a.example',
      'TOOLEXEC_ALLOWED_HOSTS has "https://a.example": give names such as tools.example.com or tools.example.com:8443, comma separated.',
    ],
    [
      'TOOLEXEC_ALLOWED_MODES',
      'default,yolo',
      'TOOLEXEC_ALLOWED_MODES has "yolo": give some of default, acceptEdits, plan, dontAsk, bypassPermissions, auto.',
    ],
    ['TOOLEXEC_LOG_LEVEL', 'loud', 'TOOLEXEC_LOG_LEVEL is "loud": give one of trace, debug, info, warn, error, fatal, silent.'],
  ] as const) {
    test(`is refused by its name and with what to give instead: ${name}=${value}`, () => {
      assert.equal(refusal({ [name]: value }), message);
    });
  }

  test('of the configuration file is refused with the file and its place there', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'toolexec-config-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, 'config.json');
    for (const [content, message] of [
      ['{"limits": {"body_bytes": "1"}}', ', limits, body_bytes is "1": give a whole number from 1 to 1000000000.'],
      ['{"limits": {"grace_ms": 100000000000}}', ', limits, grace_ms is 100000000000: give a whole number from 1 to 86400000.'],
      ['{"limts": {}}', ' has limts, which is not a setting.'],
      ['{"limits": {"nope": 1}}', ', limits has nope, which is not a setting.'],
      ['[]', ' is []: give an object, in { and }.'],
      [
        '{"limits": {"body_bytes": 2000, "bodies_in_flight_bytes": 1000}}',
        ', limits, bodies_in_flight_bytes is 1000: give at least body_bytes, which is 2000.',
      ],
      ['{"permissions": {"deny": "Bash"}}', ', permissions, deny is "Bash": give a list of rules, in [ and ].'],
      ['{"permissions": {"denied": []}}', ', permissions has denied, which is not a setting.'],
      ['{"permissions": {"mode": "plan"}}', ', permissions has mode, which is not a setting.'],
      ['{"hooks": []}', ', hooks is []: give an object, in { and }.'],
      ['{"mcp_servers": "x"}', ', mcp_servers is "x": give an object, in { and }.'],
      ['{"tools": {"exclude": {}}}', ', tools, exclude is {}: give a list of names, in [ and ].'],
      ['{"sandbox": {"auto_allow_bash": "no"}}', ', sandbox, auto_allow_bash is "no": give true or false.'],
    ] as const) {
      await writeFile(file, content);
      assert.equal(refusal({ TOOLEXEC_CONFIG: file }), `TOOLEXEC_CONFIG (${file})${message}`);
    }
    await writeFile(file, '{');
    assert.match(refusal({ TOOLEXEC_CONFIG: file }), /could not be read as JSON/);
  });

  test('never shows a key, nor keeps one', () => {
    for (const keys of ['name:secret', 'secret-secret', ':secret-secret', 'a:secret-secret,b:secret-secret', 'a:secret-1,a:secret-2']) {
      const message = refusal({ TOOLEXEC_API_KEYS: keys });
      assert.match(message, /^TOOLEXEC_API_KEYS: /);
      assert.doesNotMatch(message, /secret/);
    }
    const { keys } = readConfig({ TOOLEXEC_API_KEYS: 'name:secret-secret' });
    assert.deepEqual(
      keys.map(({ name, digest }) => [name, digest.length]),
      [['name', 32]],
    );
    assert.doesNotMatch(JSON.stringify(keys), /secret/);
  });

  test('of keys holds what a header can carry alone', () => {
    for (const key of ['with a space', 'schlüssel-lang', 'line\u2028break']) {
      assert.match(refusal({ TOOLEXEC_API_KEYS: `name:${key}` }), /at least 8 visible ASCII characters/);
    }
  });

  test('of keys may stand in a file, one a line', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'toolexec-config-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, 'keys');
    await writeFile(file, 'one:first-secret\n\n two:second:secret \r\n');
    const fromFile = readConfig({ TOOLEXEC_API_KEYS: `@${file}` }).keys;
    assert.deepEqual(fromFile, readConfig({ TOOLEXEC_API_KEYS: 'one:first-secret,two:second:secret' }).keys);
    assert.match(refusal({ TOOLEXEC_API_KEYS: '@/nowhere/keys' }), /the file \/nowhere\/keys could not be read/);
  });

  test('of the address to listen on needs a key as soon as others can reach it', () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'tools.example.com', '127.999.0.1', '127.0.0.1.example.com']) {
      assert.match(refusal({ TOOLEXEC_HOST: host }), /set TOOLEXEC_API_KEYS, or listen on 127\.0\.0\.1/, host);
      assert.equal(readConfig({ TOOLEXEC_HOST: host, TOOLEXEC_API_KEYS: 'name:secret-secret' }).host, host);
    }
    for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost']) assert.equal(readConfig({ TOOLEXEC_HOST: host }).host, host);
  });

  test('of the configuration file that is not given is as if there were no file', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'toolexec-config-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const file = join(directory, 'config.json');
    await writeFile(file, '{}');
    assert.deepEqual(readConfig({ TOOLEXEC_CONFIG: file }), { ...readConfig({}), secretFiles: [file] });
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [] }] };
    await writeFile(file, JSON.stringify({ permissions: { deny: ['Read(./.env)'] }, hooks, tools: { exclude: ['Glob'] } }));
    const config = readConfig({ TOOLEXEC_CONFIG: file });
    assert.deepEqual(config.permissions, { allow: [], ask: [], deny: ['Read(./.env)'] });
    assert.deepEqual(config.hooks, hooks);
    assert.deepEqual(config.tools, { include: null, exclude: ['Glob'] });
  });

  test('of what guards calls has the values that the documents name', () => {
    const config = readConfig({});
    assert.deepEqual([config.sandbox, config.commandMemoryBytes, config.egressAllow, config.autoModeUrl], ['auto', 2 ** 31, [], undefined]);
    const given = readConfig({
      TOOLEXEC_SANDBOX: 'external',
      TOOLEXEC_COMMAND_MEMORY_BYTES: '4294967296',
      TOOLEXEC_EGRESS_ALLOW: '10.0.0.0/8, internal.example:8080',
      TOOLEXEC_AUTO_MODE_URL: 'http://127.0.0.1:9000/judge',
    });
    assert.deepEqual([given.sandbox, given.commandMemoryBytes], ['external', 2 ** 32]);
    assert.deepEqual([given.egressAllow, given.autoModeUrl], [['10.0.0.0/8', 'internal.example:8080'], 'http://127.0.0.1:9000/judge']);
  });

  test('that nobody gives has the value that the table of settings names', () => {
    const config = readConfig({});
    assert.deepEqual(
      [config.host, config.port, config.dataDir, config.store, config.sandbox, config.logLevel],
      ['127.0.0.1', 8080, resolve('.toolexec'), 'sqlite', 'auto', 'info'],
    );
    assert.deepEqual([config.maxConcurrency, config.maxProcesses, config.commandMemoryBytes], [10, 64, 2 * 2 ** 30]);
    assert.deepEqual([config.leaseTtlMs, config.drainGraceMs], [15_000, 30_000]);
    assert.deepEqual(config.allowedModes, ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto']);
    for (const none of [config.workspaceRoots, config.keys, config.allowedOrigins, config.allowedHosts, config.egressAllow])
      assert.deepEqual(none, []);
    assert.deepEqual([config.toolsDir, config.model], [undefined, undefined]);
    const { body_bytes, queued_turns, sse_comment_ms, reconnect_ms } = config.limits;
    assert.deepEqual([body_bytes, queued_turns, sse_comment_ms, reconnect_ms], [10 * 2 ** 20, 16, 15_000, 10_000]);
  });

  test('of how many calls run at once is ours, else the one of the same meaning elsewhere, else ten', () => {
    const [ours, theirs] = ['TOOLEXEC_MAX_TOOL_USE_CONCURRENCY', 'CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY'];
    assert.equal(readConfig({ [theirs]: '7' }).maxConcurrency, 7);
    assert.equal(readConfig({ [ours]: '', [theirs]: '7' }).maxConcurrency, 7);
    for (const other of ['7', '0', 'many']) assert.equal(readConfig({ [ours]: '4', [theirs]: other }).maxConcurrency, 4);
    for (const wrong of ['0', '-1', '2.5', 'many', '1e1'])
      for (const name of [ours, theirs]) assert.match(refusal({ [name]: wrong }), new RegExp(`^${name} is .*: give a whole number from 1`));
  });

  test('that is empty counts as not given', () => {
    assert.deepEqual(readConfig({ TOOLEXEC_PORT: ' ', TOOLEXEC_ALLOWED_MODES: '' }), readConfig({}));
  });

  test('that looks like one and is none is named', () => {
    const { unknownVariables } = readConfig({ TOOLEXEC_PROT: '1', TOOLEXEC_PORT: '1', PATH: '/bin' });
    assert.deepEqual(unknownVariables, ['TOOLEXEC_PROT']);
  });

  test('of hosts is compared without regard to case, as Host headers are', () => {
    const { allowedHosts } = readConfig({ TOOLEXEC_ALLOWED_HOSTS: 'Tools.Example.com, [::1]:8443, ::1' });
    assert.deepEqual(allowedHosts, ['tools.example.com', '[::1]:8443', '::1']);
  });
});
