// What may be written down about hooks, and how what is wrong is told.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HookSettingsError, readHooks, type HookTable } from '../../src/hooks/hook-table.ts';
import { compileMatcher } from '../../src/hooks/matcher.ts';
import type { HookSource } from '../../src/hooks/settings.ts';

const checkRule = (rule: string): string | undefined => (rule.endsWith('(') ? 'a bracket is not closed' : undefined);
const read = (settings: unknown, source: HookSource = 'operator'): HookTable => readHooks(settings, { source, checkRule });
const run = { type: 'command', command: 'true' };

function faultOf(settings: unknown, source: HookSource = 'operator'): string {
  try {
    read(settings, source);
  } catch (error) {
    assert.ok(error instanceof HookSettingsError);
    return `${error.path}: ${error.message}`;
  }
  return 'no fault';
}

describe('settings of hooks', () => {
  test('are read as they stand in an existing file', () => {
    const table = read({
      PreToolUse: [
        { matcher: 'Bash|Edit', hooks: [{ ...run, timeout: 60, statusMessage: 'Checking', if: 'Bash(git push:*)' }] },
        {
          matcher: '',
          hooks: [{ type: 'http', url: 'https://hooks.example.com/pre', headers: { Authorization: 'Bearer $T' }, allowedEnvVars: ['T'] }],
        },
      ],
      SessionStart: [{ hooks: [run] }],
    });
    assert.deepEqual(
      table.PreToolUse?.map(({ label, rules, handler }) => [label, rules, handler.timeout]),
      [
        ['PreToolUse[0].hooks[0] of the operator', ['Bash(git push:*)'], 60],
        ['PreToolUse[1].hooks[0] of the operator', [], 600],
      ],
    );
    assert.deepEqual(Object.keys(table), ['PreToolUse', 'SessionStart']);
  });

  const wrong: [what: string, settings: unknown, fault: RegExp][] = [
    ['an event that does not exist', { PreTool: [{ hooks: [run] }] }, /^PreTool: that is no event of hooks: give one of PreToolUse, /],
    [
      'a pattern that is none',
      { PreToolUse: [{ hooks: [run] }, { matcher: '(a', hooks: [run] }] },
      /^PreToolUse\[1\]\.matcher: it is no pattern/,
    ],
    ['a pattern that looks around', { PreToolUse: [{ matcher: '^(?!Bash)', hooks: [run] }] }, /^PreToolUse\[0\]\.matcher: .*look-around/],
    ['a pattern that names nothing', { PreToolUse: [{ matcher: '|', hooks: [run] }] }, /^PreToolUse\[0\]\.matcher: it names nothing/],
    ['a rule that is none', { PreToolUse: [{ hooks: [{ ...run, if: 'Bash(' }] }] }, /^PreToolUse\[0\]\.hooks\[0\]\.if: a bracket/],
    ['a rule of a group that is none', { PostToolUse: [{ if: 'Bash(', hooks: [run] }] }, /^PostToolUse\[0\]\.if: a bracket/],
    [
      'a rule where there is no call',
      { SessionStart: [{ hooks: [{ ...run, if: 'Bash' }] }] },
      /^SessionStart\[0\]\.hooks\[0\]\.if: SessionStart is not about one call/,
    ],
    [
      'a handler of another type',
      { PreToolUse: [{ hooks: [{ type: 'prompt', prompt: 'ok?' }] }] },
      /^PreToolUse\[0\]\.hooks\[0\]\.type: give "type"/,
    ],
    ['a key that is not known', { PreToolUse: [{ hooks: [{ ...run, async: true }] }] }, /^PreToolUse\[0\]\.hooks\[0\]: async is not known/],
    [
      'a time in milliseconds',
      { PreToolUse: [{ hooks: [{ ...run, timeout: 60_000 }] }] },
      /^PreToolUse\[0\]\.hooks\[0\]\.timeout: give seconds, at most 3600/,
    ],
    ['no time at all', { PreToolUse: [{ hooks: [{ ...run, timeout: 0 }] }] }, /timeout: give seconds, more than 0/],
    [
      'a URL of another kind',
      { PreToolUse: [{ hooks: [{ type: 'http', url: 'file:///etc/passwd' }] }] },
      /url: give a URL that begins with http/,
    ],
    [
      'a header of the connection',
      { PreToolUse: [{ hooks: [{ type: 'http', url: 'https://a.example', headers: { Host: 'b' } }] }] },
      /headers\.Host: this header cannot be set/,
    ],
    [
      'a header for a proxy',
      { PreToolUse: [{ hooks: [{ type: 'http', url: 'https://a.example', headers: { 'Proxy-Authorization': 'b' } }] }] },
      /headers\.Proxy-Authorization: this header cannot be set/,
    ],
    [
      'a header of two lines',
      { PreToolUse: [{ hooks: [{ type: 'http', url: 'https://a.example', headers: { a: 'b\r\nc' } }] }] },
      /headers\.a: give printable ASCII/,
    ],
    ['no handler', { PreToolUse: [{ hooks: [] }] }, /^PreToolUse\[0\]\.hooks: give at least one/],
    [
      'too many handlers',
      { PreToolUse: Array.from({ length: 11 }, () => ({ hooks: Array.from({ length: 10 }, () => run) })) },
      /^PreToolUse\[10\]: these are more than 100 hooks/,
    ],
    ['no object', 'PreToolUse', /expected/],
  ];
  for (const [what, settings, fault] of wrong) {
    test(`with ${what} are refused, and the place is named`, () => assert.match(faultOf(settings), fault));
  }

  test('let only an operator forgive hooks that are late', () => {
    const forgiving = { PreToolUse: [{ hooks: [{ ...run, onTimeout: 'allow' }] }] };
    assert.equal(faultOf(forgiving), 'no fault');
    assert.match(faultOf(forgiving, 'session'), /onTimeout is not known here/);
  });

  test('with patterns that are made to be slow are refused as a whole', () => {
    const group = { matcher: 'a{1,900}'.repeat(30), hooks: [run] };
    assert.match(faultOf({ PreToolUse: [group, group] }, 'session'), /patterns are too large together/);
  });
});

describe('a matcher', () => {
  const cases: [matcher: string, names: string[], matches: boolean][] = [
    ['', ['Echo'], true],
    ['*', ['Echo'], true],
    ['Echo', ['Echo'], true],
    ['Echo', ['EchoMore'], false],
    ['echo', ['Echo'], false],
    ['Read|Echo', ['Echo'], true],
    ['Read, Echo', ['Echo'], true],
    ['mcp__a-b__do it', ['mcp__a-b__do it'], true],
    ['mcp__docs', ['mcp__docs__find'], false],
    ['mcp__docs__.*', ['mcp__docs__find'], true],
    ['^Ec', ['Echo'], true],
    ['ch.', ['Echo'], true],
    ['^Echo$', ['EchoMore'], false],
    ['Old.*', ['Echo', 'OldEcho'], true],
    ['constructor', ['Echo'], false],
  ];
  for (const [matcher, names, matches] of cases) {
    test(`${JSON.stringify(matcher)} is ${matches ? '' : 'not '}for ${names.join(' alias ')}`, () => {
      assert.equal(compileMatcher(matcher).matches(names), matches);
    });
  }

  test('that is hostile takes time in proportion to the name', () => {
    const { matches } = compileMatcher('^(a+)+$');
    const time = (length: number): number => {
      const name = `${'a'.repeat(length)}!`;
      const started = performance.now();
      for (let round = 0; round < 20; round += 1) assert.equal(matches([name]), false);
      return performance.now() - started;
    };
    time(20_000);
    const [short, long] = [time(20_000), time(80_000)];
    assert.ok(long < short * 40, `four times the name took ${(long / short).toFixed(1)} times as long`);
  });
});
