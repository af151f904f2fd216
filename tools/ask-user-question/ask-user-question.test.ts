import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { z } from 'zod';
import type { ClientAnswer, ResultContent, SessionControls } from '../../src/contract/index.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { NO_PEOPLE } from '../../test/support/nobody.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import AskUserQuestion from './index.ts';

const options = [
  { label: 'Postgres', description: 'A server.' },
  { label: 'SQLite', description: 'A file.' },
];
const database = { question: 'Which database?', header: 'Database', options, multiSelect: false };
const parts = { question: 'Which parts?', header: 'Parts', options, multiSelect: true };
const both = { questions: [database, parts] };

const controls = (askTimeoutMs: number): SessionControls => ({ get: () => askTimeoutMs, set: () => Promise.resolve() });

/** Asks a client that answers at once. */
async function answered(t: TestContext, answer: ClientAnswer, askTimeoutMs = 1_000) {
  const harness = await toolHarness(t);
  const asked: unknown[] = [];
  const people = {
    ...NO_PEOPLE,
    callClient(input: unknown) {
      asked.push(input);
      return Promise.resolve(answer);
    },
  };
  const report = await harness.call(AskUserQuestion, both, { people, services: { controls: controls(askTimeoutMs) } });
  return { ...report, asked };
}

const says = (content: ResultContent): ClientAnswer => ({ content, isError: false });
const json = (answers: object): ClientAnswer => says(JSON.stringify({ answers }));

describe('AskUserQuestion', () => {
  test('hands the questions to the client, and gives the model each with its answers', async (t) => {
    const { text, asked, result } = await answered(t, json({ 'Which parts?': ['SQLite', 'my own'], 'Which database?': 'Postgres' }));
    assert.deepEqual(asked, [both]);
    assert.equal(text, 'The user has answered:\n\nWhich database?\n→ Postgres\n\nWhich parts?\n→ SQLite\n→ my own');
    const view = AskUserQuestion.renderResult(both, result as never);
    const rows = [
      ['Which database?', 'Postgres'],
      ['Which parts?', 'SQLite, my own'],
    ];
    assert.deepEqual(view, { title: 'Database, Parts', body: { kind: 'table', columns: ['Question', 'Answer'], rows } });
  });

  test('says what was left open, and keeps what was said beside the questions', async (t) => {
    const { text } = await answered(t, json({ 'Which parts?': [], Note: 'Hurry.' }));
    assert.equal(text, 'The user has answered:\n\nWhich database?\n(not answered)\n\nWhich parts?\n(not answered)\n\nNote\n→ Hurry.');
    assert.equal((await answered(t, json({}))).text, 'The user has answered none of the questions.');
  });

  test('gives the model an answer in any other form as it is', async (t) => {
    for (const content of ['Take Postgres.', '{"answers": 3}', '{"answers"', [{ type: 'text' as const, text: 'Both.' }]]) {
      const { result } = await answered(t, says(content));
      assert.deepEqual(result.content, content);
      const shown = AskUserQuestion.renderResult(both, result as never);
      assert.deepEqual(shown.body, typeof content === 'string' ? { kind: 'text', text: content } : undefined);
    }
    const blocks = await answered(t, says([{ type: 'text', text: '{"answers": {"Which database?": "SQLite"}}' }]));
    assert.match(blocks.text, /Which database\?\n→ SQLite/);
  });

  test('fails when the client does', async (t) => {
    const { result } = await answered(t, { content: 'The user has closed the window.', isError: true });
    assert.deepEqual([result.isError, result.content], [true, 'The user has closed the window.']);
  });

  test('asks nobody where nobody is asked', async (t) => {
    const { text, result, asked } = await answered(t, json({}), 0);
    assert.deepEqual([result.isError, asked], [true, []]);
    assert.match(text, /decide by yourself/);
    const state = { cwd: '/w', mode: 'dontAsk', todos: [], loadedTools: [] } as const;
    const permission = AskUserQuestion.checkPermissions(both, { sessionId: 'ses_1', workspace: '/w', env: {}, state });
    assert.equal((permission as { behavior: string }).behavior, 'deny');
  });

  test('wants questions and labels that can be told apart', async () => {
    assert.deepEqual(await AskUserQuestion.validateInput?.(both), { ok: true });
    const faultOf = async (questions: (typeof database)[]): Promise<string> => {
      const verdict = await AskUserQuestion.validateInput?.({ questions });
      return verdict?.ok === false ? verdict.message : 'fine';
    };
    assert.match(await faultOf([database, database]), /Two questions are the same/);
    assert.match(await faultOf([{ ...database, options: [...options, ...options] }]), /"Which database\?" have the same label/);
  });

  test('takes one to four questions with two to four options and a short header', () => {
    const schema = AskUserQuestion.inputSchema as z.ZodType;
    const accepts = (...questions: object[]): boolean => schema.safeParse({ questions }).success;
    const { multiSelect: _, ...brief } = database;
    assert.ok(accepts(brief));
    assert.ok(!accepts() && !accepts(brief, brief, brief, brief, brief));
    assert.ok(!accepts({ ...brief, options: options.slice(1) }) && !accepts({ ...brief, header: 'x'.repeat(13) }));
  });

  test('shows the questions with their options', () => {
    const { title, body } = AskUserQuestion.renderUse(both);
    assert.equal(title, 'Database, Parts');
    assert.ok(body?.kind === 'markdown');
    assert.equal(
      body.text,
      '**Database** Which database?\n\n- Postgres: A server.\n- SQLite: A file.\n\n**Parts** Which parts? (several may be chosen)\n\n- Postgres: A server.\n- SQLite: A file.',
    );
  });
});

toolSuite({
  tool: AskUserQuestion,
  input: both,
  ports: () => ({
    people: { ...NO_PEOPLE, callClient: () => Promise.resolve(json({ 'Which database?': 'Postgres' })) },
    services: { controls: controls(1_000) },
  }),
});
