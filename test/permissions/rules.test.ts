import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRules } from '../../src/permissions/rules/parse-rules.ts';
import { toolDenier } from '../../src/permissions/rules/rule-matcher.ts';

const NONE = { allow: [], ask: [], deny: [] };
const canonicalName = (name: string): string => (name === 'Shell' ? 'Bash' : name);
const context = { owner: 'session', canonicalName } as const;

function faultOf(behavior: 'allow' | 'deny', rule: string): string | undefined {
  return parseRules({ ...NONE, [behavior]: [rule] }, context).issues[0]?.message;
}

describe('a rule that cannot be read', () => {
  const wrong: [behavior: 'allow' | 'deny', rule: string, says: RegExp][] = [
    ['allow', 'Bash(npm test', /write the name of a tool, or a name and what the rule is for in brackets/],
    ['deny', '', /write the name of a tool/],
    ['deny', 'Ba sh', /write the name of a tool/],
    ['deny', 'Bash()', /leave the brackets out to mean every call of Bash/],
    ['deny', 'Bash(:*)', /write the beginning of a command/],
    ['allow', 'WebFetch(example.com)', /write domain:/],
    ['allow', 'WebFetch(domain:https://example.com/)', /a host name alone/],
    ['allow', 'mcp__*', /begin it with one server/],
    ['allow', '*', /begin it with one server/],
    ['deny', 'mcp__docs__search(x)', /leave the brackets out/],
    ['deny', 'Read(!keep.txt)', /starts with !/],
    ['deny', 'Read(../x)', /\.\. cannot be used/],
    ['deny', 'Read(~other/x)', /~ stands for the home directory alone/],
    ['deny', 'Read([ab)', /is not closed/],
    ['deny', `Read(${'x'.repeat(2_000)})`, /at most 1000 characters/],
  ];

  test('is told with what to change, and where it stands', () => {
    for (const [behavior, rule, says] of wrong) assert.match(faultOf(behavior, rule) ?? 'no fault', says, rule);
    const { issues } = parseRules({ allow: ['Read', 'Bash('], ask: [], deny: ['Read', 'Edit', 'x y'] }, context);
    assert.deepEqual(
      issues.map(({ path }) => path),
      ['deny[2]', 'allow[1]'],
    );
  });

  test('forbids at its widest, and allows nothing', () => {
    const { rules } = parseRules({ allow: ['Bash('], ask: ['Read('], deny: ['Edit(', '?'] }, context);
    assert.deepEqual(
      rules.map(({ behavior, tool, bare }) => [behavior, tool.join('*'), bare]),
      [
        ['deny', 'Edit', true],
        ['deny', '*', true],
        ['ask', 'Read', true],
      ],
    );
  });
});

test('rules that can be read have no fault', () => {
  const rules = [
    'Read',
    'Bash(git log:*)',
    'Bash(npm run *)',
    'Bash(foo (x))',
    'Edit(/src/**)',
    'Read(//etc/hosts)',
    'Read(~/.ssh/**)',
    'WebFetch(domain:*.example.com)',
    'mcp__docs',
    'mcp__docs__get_*',
    'Skill(deploy)',
    String.raw`Read(a\[1\].txt)`,
  ];
  for (const rule of rules) assert.equal(faultOf('allow', rule), undefined, rule);
  for (const rule of ['mcp__*', '*']) assert.equal(faultOf('deny', rule), undefined, rule);
});

test('too many rules are a fault of their own', () => {
  const { issues } = parseRules({ ...NONE, allow: Array.from({ length: 70 }, (_, index) => `Bash(${index}${'x'.repeat(980)})`) }, context);
  assert.match(issues[0]?.message ?? '', /characters in all/);
});

test('a bare deny takes the tool out of the pool, also by an alias or a star, and a scoped one leaves it', () => {
  const names = ['Bash', 'Read', 'mcp__docs__get', 'mcp__docs2__get'];
  const denied = (...deny: string[]): readonly string[] => names.filter(toolDenier({ ...NONE, deny }, context));
  assert.deepEqual(denied('Shell'), ['Bash']);
  assert.deepEqual(denied('Bash(*)', 'Read(.env)'), ['Bash']);
  assert.deepEqual(denied('mcp__docs'), ['mcp__docs__get']);
  assert.deepEqual(denied('mcp__*'), ['mcp__docs__get', 'mcp__docs2__get']);
});
