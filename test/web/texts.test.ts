import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { viewsOf } from '../../web/src/model/call-views.ts';
import { diffLines } from '../../web/src/model/diff-lines.ts';
import { showBytes, showMoment, showMs, showTime } from '../../web/src/model/durations.ts';
import { EXAMPLES } from '../../web/src/model/example-messages.ts';
import { withNewIds } from '../../web/src/model/new-ids.ts';
import { lookOfOutcome } from '../../web/src/model/outcomes.ts';
import { answersContent, planOf, questionsOf } from '../../web/src/model/questions.ts';
import { readJson } from '../../web/src/model/read-json.ts';
import { ruleNote } from '../../web/src/model/rule-note.ts';
import { headline, searchLog } from '../../web/src/model/search-log.ts';
import type { Call } from '../../web/src/model/session-model.ts';
import type { LoggedEvent } from '../../web/src/model/wire.ts';
import { OUTCOMES } from '../../src/contract/index.ts';
import { detectFormat } from '../../src/formats/detect.ts';
import { begun, logOf, queued, result } from './events.ts';

test('a diff is read as lines with their numbers before and after', () => {
  const diff = ['--- a.txt', '+++ a.txt', '@@ -1,3 +1,3 @@', ' one', '-two', '+2', ' three', '\\ No newline at end of file', ''].join('\n');
  assert.deepEqual(diffLines(diff, 100), [
    { kind: 'hunk', text: '@@ -1,3 +1,3 @@' },
    { kind: 'same', text: 'one', before: 1, after: 1 },
    { kind: 'removed', text: 'two', before: 2 },
    { kind: 'added', text: '2', after: 2 },
    { kind: 'same', text: 'three', before: 3, after: 3 },
    { kind: 'note', text: 'No newline at end of file' },
  ]);
});

test('a removed line that begins with dashes is not taken for the name of a file', () => {
  assert.deepEqual(diffLines('@@ -1 +1 @@\n--- x\n+++ y', 10).slice(1), [
    { kind: 'removed', text: '-- x', before: 1 },
    { kind: 'added', text: '++ y', after: 1 },
  ]);
});

test('a diff of texts without a line feed at the end says nothing of that', () => {
  const lines = diffLines('@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n\\ No newline at end of file\n', 100);
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ['hunk', 'removed', 'added'],
  );
});

describe('of a call that has ended', () => {
  const call = { outcome: 'ok', view: { title: 'Edit a' }, resultView: { title: 'Edit a' } } as Call;
  const headings = (more: Partial<Call>): string[] => viewsOf({ ...call, ...more }).map(({ heading }) => heading);
  const diff = (lines: string) => ({ title: 'Edit a', body: { kind: 'diff' as const, path: 'a', diff: lines } });

  test('what its result repeats is drawn once', () => {
    assert.deepEqual(headings({}), ['Result']);
    assert.deepEqual(headings({ view: diff('-a'), resultView: diff(' 1\n-a') }), ['Result']);
    assert.deepEqual(headings({ view: { title: 'Edit a', subtitle: 'all' }, resultView: { title: 'Edit a', subtitle: 'all (3)' } }), [
      'Result',
    ]);
  });

  test('what only the call tells is kept', () => {
    assert.deepEqual(headings({ view: diff('-a'), resultView: { title: 'Edit a', body: { kind: 'text', text: 'No.' } } }), [
      'Call',
      'Result',
    ]);
    assert.deepEqual(headings({ outcome: 'tool_error', view: diff('-a'), resultView: diff('-b') }), ['Call', 'Result']);
    assert.deepEqual(headings({ view: { title: 'Another' } }), ['Call', 'Result']);
  });

  test('an error is shown without the tag that is for models', () => {
    const text = '<tool_use_error>It is not there.</tool_use_error>';
    const [shown] = viewsOf({ ...call, resultView: { title: 'Read a', body: { kind: 'text', text } } }).slice(-1);
    assert.deepEqual(shown?.view.body, { kind: 'text', text: 'It is not there.' });
  });
});

test('a long diff is cut, and says by how much', () => {
  const lines = diffLines(`@@ -1 +1,1000 @@\n${'+x\n'.repeat(1_000)}`, 100);
  assert.equal(lines.length, 101);
  assert.deepEqual(lines.at(-1), { kind: 'note', text: '… 901 more lines' });
});

test('every outcome of the service has a sign and a word of its own', () => {
  const looks = OUTCOMES.map(lookOfOutcome);
  assert.equal(new Set(looks.map(({ word }) => word)).size, OUTCOMES.length);
  assert.ok(looks.every(({ sign }) => sign !== ''));
  assert.equal(lookOfOutcome('of_tomorrow').word, 'of_tomorrow');
});

test('durations and sizes are short', () => {
  assert.deepEqual([0, 7.4, 1_240, 61_000, 125_000].map(showMs), ['0 ms', '7 ms', '1.24 s', '1 min 01 s', '2 min 05 s']);
  assert.deepEqual([12, 1_500, 20_000_000].map(showBytes), ['12 B', '1.5 kB', '20 MB']);
});

describe('what people write as JSON', () => {
  test('is told what is wrong with it', () => {
    assert.match(readJson('{').fault ?? '', /not JSON yet/);
    assert.match(readJson('[1]').fault ?? '', /must be a JSON object/);
    assert.deepEqual(readJson('{"a":1}'), { value: { a: 1 } });
  });
});

describe('the log', () => {
  const log = logOf([begun, queued('a', { name: 'Grep' }), result('a', { name: 'Grep' })]) as LoggedEvent[];

  test('is searched for every word, in any case and order', () => {
    const found = (query: string): number[] => searchLog(log, query).map(({ seq }) => seq);
    assert.deepEqual(found('grep'), [2, 3]);
    assert.deepEqual(found('GREP tool_result'), [3]);
    assert.deepEqual(found('nowhere'), []);
    assert.deepEqual(found('  '), [1, 2, 3]);
  });

  test('has a line for each event', () => {
    assert.deepEqual(log.map(headline), ['anthropic', 'Grep a', '1. Grep ok']);
  });
});

describe('questions', () => {
  const input = { questions: [{ question: 'Which?', header: 'Way', options: [{ label: 'A', description: 'x' }, { label: 'B' }] }] };

  test('are known by their shape', () => {
    assert.equal(questionsOf(input)?.[0]?.options[1]?.label, 'B');
    for (const other of [null, 'text', {}, { questions: [] }, { questions: [{ question: 1, options: [] }] }])
      assert.equal(questionsOf(other), null);
  });

  test('are answered with what was chosen and what was written', () => {
    const questions = questionsOf(input) ?? [];
    const content = answersContent(questions, { chosen: { 'Which?': ['A'] }, written: { 'Which?': ' or C ' } });
    assert.deepEqual(JSON.parse(content), { answers: { 'Which?': ['A', 'or C'] } });
  });

  test('are no plans', () => {
    assert.equal(planOf({ plan: '# Plan' }), '# Plan');
    assert.equal(planOf({ plan: 'x', other: 1 }), null);
    assert.equal(planOf(null), null);
  });
});

describe('a message with new ids', () => {
  const examples = Object.values(EXAMPLES);

  test('is of the format it was of, and none of its calls has the id it had', () => {
    const formats = examples.map((message) => detectFormat(withNewIds(message, 'x')));
    assert.deepEqual(formats, ['anthropic', 'openai_chat', 'openai_responses']);
    for (const message of examples) assert.doesNotMatch(JSON.stringify(withNewIds(message, 'x')), /"call_\d+"/);
  });

  test('differs in nothing else, also the second time', () => {
    const input = { type: 'function', id: 'mine' };
    const message = (id: string) => ({ id: 'msg_1', content: [{ type: 'tool_use', id, name: 'Work', input }] });
    const once = withNewIds(message('a'), 'one');
    assert.deepEqual(once, message('a_rone'));
    assert.deepEqual(withNewIds(once, 'two'), message('a_rtwo'));
  });
});

test('times of day are in 24 hours, and those of another day say which', () => {
  const today = new Date(2026, 0, 5, 15, 4, 9, 87);
  mock.timers.enable({ apis: ['Date'], now: today });
  try {
    assert.match(showTime(today.toISOString()), /^15:04$/);
    assert.match(showTime(new Date(2026, 0, 4, 15, 4).toISOString()), /\b4\b.*15:04$/);
    assert.match(showMoment(today.toISOString()), /^15:04:09.087$/);
  } finally {
    mock.timers.reset();
  }
});

test('rules that begin at the workspace say so, since they look like the whole disk', () => {
  assert.equal(ruleNote('Edit(/**)'), 'all files of the workspace');
  assert.equal(ruleNote('Read(/src/a.ts)'), 'in the workspace');
  for (const rule of ['Read(//etc/**)', 'Edit(~/x)', 'Bash(/bin/true)', 'Bash(git log:*)', 'WebFetch'])
    assert.equal(ruleNote(rule), null, rule);
});
