// Questions and plans are known by the shape of a call's input, whatever the tool is called.

export interface Question {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  readonly multiSelect: boolean;
}

/** The questions that a call puts to people; `null` when it is no such call. */
export function questionsOf(input: unknown): readonly Question[] | null {
  const { questions } = (input ?? {}) as { questions?: unknown };
  if (!Array.isArray(questions) || questions.length === 0) return null;
  const read = questions.map(readQuestion);
  return read.every((question) => question !== null) ? read : null;
}

function readQuestion(value: unknown): Question | null {
  const { question, header, options, multiSelect } = (value ?? {}) as Record<string, unknown>;
  if (typeof question !== 'string' || !Array.isArray(options)) return null;
  const choices = options.map((option) => {
    const { label, description } = (option ?? {}) as Record<string, unknown>;
    return { label: String(label), description: typeof description === 'string' ? description : '' };
  });
  return { question, header: typeof header === 'string' ? header : '', options: choices, multiSelect: multiSelect === true };
}

/** The plan that people are to approve. */
export function planOf(input: unknown): string | null {
  const { plan } = (input ?? {}) as { plan?: unknown };
  return typeof plan === 'string' && Object.keys(input as object).length === 1 ? plan : null;
}

/**
 * The answer as the client sends it.
 * @param chosen labels by question
 * @param written own words by question, which are added to what was chosen
 */
export function answersContent(
  questions: readonly Question[],
  { chosen, written }: { chosen: Readonly<Record<string, readonly string[]>>; written: Readonly<Record<string, string>> },
): string {
  const answers = questions.map(({ question }) => {
    const own = written[question]?.trim() ?? '';
    return [question, [...(chosen[question] ?? []), ...(own === '' ? [] : [own])]];
  });
  return JSON.stringify({ answers: Object.fromEntries(answers) });
}
