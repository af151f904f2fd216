import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operatorSettings } from '../../src/composition/operator-settings.ts';
import { readConfig } from '../../src/config.ts';
import { LanguageServerSettings } from '../../src/language-servers/settings.ts';

const GOOD = { command: 'gopls', extensions: { '.go': 'go' } };
const read = (languageServers: Record<string, unknown>) => operatorSettings({ ...readConfig({}), languageServers });

describe('What an operator writes down about language servers', () => {
  test('needs no more than a program and what it is for', () => {
    assert.deepEqual(LanguageServerSettings.parse({ go: GOOD }), {
      go: { ...GOOD, args: [], env: {}, startup_ms: 30_000 },
    });
    assert.doesNotThrow(() => read({ go: GOOD, rust: { command: 'rust-analyzer', extensions: { '.rs': 'rust' } } }));
  });

  const wrong: [what: string, servers: Record<string, unknown>, message: RegExp][] = [
    [
      'an extension without its dot',
      { go: { ...GOOD, extensions: { go: 'go' } } },
      /language_servers, go\.extensions\.go: Give file extensions with their dot/,
    ],
    ['no extension', { go: { ...GOOD, extensions: {} } }, /go\.extensions: Name at least one extension/],
    ['one extension twice', { go: GOOD, more: { ...GOOD, extensions: { '.GO': 'go' } } }, /more\.extensions: \.go belongs to go already/],
    ['no program', { go: { ...GOOD, command: '' } }, /go\.command: Give the program to start/],
    ['a key that is none', { go: { ...GOOD, comand: 'x' } }, /Unrecognized key: "comand"/],
    ['a name with spaces', { 'my go': GOOD }, /letters, digits, _ and - only/],
    ['a sandbox that is no choice', { go: { ...GOOD, sandbox: true } }, /go\.sandbox: Leave it out, or give false/],
  ];
  for (const [what, servers, message] of wrong) {
    test(`is refused with ${what}, and says where and why`, () => {
      assert.throws(() => read(servers), message);
    });
  }
});
