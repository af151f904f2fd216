// How the complaints of a part that is referred to come to those of the schema around it. Ajv copies all that there are with
// each reference, which is quadratic for a list, and it names only the place of the part itself, not the branch of a union
// that has led there.
import { _, type ErrorObject, Name } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { wrapKeyword } from './wrap-keyword.ts';

type Errors = ErrorObject[] | null;

/** Variables of the code that Ajv writes. */
const ERRORS = new Name('vErrors');
const COUNT = new Name('errors');

/** Characters up to which a path is made longer: references can stand inside of each other thousands of times. */
const MAX_PATH_CHARS = 10_000;

/**
 * For an Ajv with `allErrors` that has compiled nothing yet. In the branch of a union, each `schemaPath` of what a reference
 * leads to then begins with the path of that reference.
 * @param spend is told how many errors are touched
 */
export function joinErrors(ajv: Ajv2020, spend: (steps: number) => void): void {
  const join = (before: Errors, found: Errors, prefix: string): Errors => {
    if (found === null) return before;
    if (before === null && prefix === '') return found;
    spend(found.length);
    for (const error of found) {
      if (error.schemaPath.length < MAX_PATH_CHARS) error.schemaPath = prefix + error.schemaPath;
      before?.push(error);
    }
    return before ?? found;
  };
  for (const keyword of ['$ref', '$dynamicRef']) {
    const rule = ajv.RULES.all[keyword];
    if (typeof rule !== 'object') continue;
    wrapKeyword(rule, ({ gen, it }, write) => {
      // Where the first complaint ends the matter, what is written after the keyword runs only if there was none.
      if (it.allErrors !== true) return write();
      const before = gen.const('before', ERRORS);
      gen.assign(ERRORS, null).assign(COUNT, 0);
      write();
      const prefix = it.compositeRule === true ? `${it.errSchemaPath}/${keyword}` : '';
      gen.assign(ERRORS, _`${gen.scopeValue('func', { ref: join })}(${before}, ${ERRORS}, ${prefix})`);
      gen.assign(COUNT, _`${ERRORS} === null ? 0 : ${ERRORS}.length`);
    });
  }
}
