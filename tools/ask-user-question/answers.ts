// What the client answers, as text for the model.
import { z } from 'zod';
import { parsedJson, textOf, type ResultContent } from '../../src/contract/index.ts';

/** What was chosen or written for one question; empty when it was left open. */
export interface Answer {
  readonly question: string;
  readonly chosen: readonly string[];
}

const Answers = z.object({ answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])) });

/** The answers in the order of the questions, then what else was said; `null` when the client has answered in its own form. */
export function readAnswers(content: ResultContent, questions: readonly string[]): readonly Answer[] | null {
  if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) return null;
  const parsed = Answers.safeParse(parsedJson(textOf(content))).data;
  if (parsed === undefined) return null;
  const given = new Map(Object.entries(parsed.answers));
  const others = [...given.keys()].filter((key) => !questions.includes(key));
  return [...questions, ...others].map((question) => ({ question, chosen: [given.get(question) ?? []].flat() }));
}

/** Each question with its answers below it. */
export function inWords(answers: readonly Answer[]): string {
  if (answers.every(({ chosen }) => chosen.length === 0)) return 'The user has answered none of the questions.';
  const lines = answers.map(({ question, chosen }) =>
    [question, ...(chosen.length === 0 ? ['(not answered)'] : chosen.map((each) => `→ ${each}`))].join('\n'),
  );
  return ['The user has answered:', ...lines].join('\n\n');
}
