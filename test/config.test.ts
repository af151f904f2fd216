import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    ['TOOLEXEC_STORE', 'redis://x', 'TOOLEXEC_STORE is "redis://x": give sqlite.'],
    ['TOOLEXEC_SANDBOX', 'required', 'TOOLEXEC_SANDBOX is "required": give one of off, auto.'],
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
    ] as const) {
      await writeFile(file, content);
      assert.equal(refusal({ TOOLEXEC_CONFIG: file }), `TOOLEXEC_CONFIG (${file})${message}`);
    }
    await writeFile(file, '{');
    assert.match(refusal({ TOOLEXEC_CONFIG: file }), /could not be read as JSON/);
  });

  test('never shows a key', () => {
    assert.doesNotMatch(refusal({ TOOLEXEC_API_KEYS: 'name:secret' }), /secret/);
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
