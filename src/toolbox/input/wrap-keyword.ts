import type { KeywordCxt } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';

/** A keyword as one Ajv knows it. */
type Rule = Ajv2020['RULES']['post']['rules'][number];

/**
 * Lets `around` write code before and after that of a keyword, in one Ajv that has compiled nothing yet.
 * @param around gets what writes the keyword's own code
 */
export function wrapKeyword({ definition }: Rule, around: (context: KeywordCxt, write: () => void) => void): void {
  // A keyword without code only names something.
  if (!('code' in definition)) return;
  const { code } = definition;
  Object.assign(definition, {
    code: (context: KeywordCxt, type?: string) => around(context, () => code(context, type)),
  } satisfies Pick<typeof definition, 'code'>);
}
