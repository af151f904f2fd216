import { z } from 'zod';
import {
  buildTool,
  descriptionOf,
  ONLY_READS,
  type CallContext,
  type ToolResult,
  type Validation,
  type View,
} from '../../src/contract/index.ts';
import { inWords, readAnswers, type Answer } from './answers.ts';

/** Milliseconds that the client has, as for every call that it runs. */
const CLIENT_TIMEOUT_MS = 300_000;
const NOBODY = 'This session asks nobody: decide by yourself, and say what you have assumed.';

const inputSchema = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        question: z.string().min(1).max(1_000).describe('The whole question, ending with a question mark.'),
        header: z.string().min(1).max(12).describe('A word or two that stand for the question, at most 12 characters.'),
        options: z
          .array(
            z.strictObject({
              label: z.string().min(1).max(100).describe('What is chosen, in one to five words.'),
              description: z.string().max(1_000).describe('What choosing it means.'),
            }),
          )
          .min(2)
          .max(4)
          .describe('The answers to choose from.'),
        multiSelect: z.boolean().default(false).describe('Several options may be chosen. Default: false.'),
      }),
    )
    .min(1)
    .max(4)
    .describe('The questions, which are asked together.'),
});
type Input = z.output<typeof inputSchema>;

interface Output {
  /** Absent when the client has answered in its own form. */
  readonly answers?: readonly Answer[];
}

export default buildTool<typeof inputSchema, Output>({
  name: 'AskUserQuestion',
  searchHint: 'ask the user to choose, decide, clarify',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  // What lies with the client still lies there after a restart, and nobody is asked twice.
  ...ONLY_READS,
  validateInput: validate,
  checkPermissions: (input, { state }) => (state.mode === 'dontAsk' ? { behavior: 'deny', reason: NOBODY } : { behavior: 'allow', input }),
  permissionSubjects: () => [],
  timeoutMs: CLIENT_TIMEOUT_MS,
  call: ask,
  renderUse: (input) => ({ title: titleOf(input), body: { kind: 'markdown', text: input.questions.map(questionText).join('\n\n') } }),
  renderResult: (input, { output, content }): View => ({
    title: titleOf(input),
    ...(output?.answers
      ? {
          body: {
            kind: 'table',
            columns: ['Question', 'Answer'],
            rows: output.answers.map(({ question, chosen }) => [question, chosen.join(', ')]),
          },
        }
      : typeof content === 'string' && { body: { kind: 'text', text: content } }),
  }),
  renderGroup: (inputs) => ({
    title: 'Questions',
    body: { kind: 'list', items: inputs.flatMap(({ questions }) => questions.map(({ question }) => question)) },
  }),
});

function validate({ questions }: Input): Validation {
  if (repeats(questions.map(({ question }) => question))) return { ok: false, message: 'Two questions are the same: ask each one once.' };
  const unclear = questions.find(({ options }) => repeats(options.map(({ label }) => label)));
  if (unclear === undefined) return { ok: true };
  return { ok: false, message: `Two options of the question ${JSON.stringify(unclear.question)} have the same label: give each its own.` };
}

function repeats(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length;
}

async function ask(input: Input, { people, controls }: CallContext): Promise<ToolResult<Output>> {
  if (controls.get('ask_timeout_ms') === 0) return { content: NOBODY, isError: true };
  const { content, isError } = await people.callClient(input);
  if (isError) return { content, isError };
  const answers = readAnswers(
    content,
    input.questions.map(({ question }) => question),
  );
  return answers === null ? { content, output: {} } : { content: inWords(answers), output: { answers } };
}

function titleOf({ questions }: Input): string {
  return questions.map(({ header }) => header).join(', ');
}

function questionText({ header, question, options, multiSelect }: Input['questions'][number]): string {
  const choices = options.map((option) => `- ${option.label}${option.description === '' ? '' : `: ${option.description}`}`);
  return [`**${header}** ${question}${multiSelect ? ' (several may be chosen)' : ''}`, '', ...choices].join('\n');
}
