// The branches of a union as code that runs one after the other. Ajv puts each into the block of the one before it, and a
// thousand blocks inside of each other take seconds to be read.
import { _, type KeywordCxt, Name } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { wrapKeyword } from './wrap-keyword.ts';

/** For an Ajv that has compiled nothing yet. */
export function flattenUnions(ajv: Ajv2020): void {
  for (const [keyword, write] of Object.entries({ anyOf: writeAnyOf, oneOf: writeOneOf })) {
    const rule = ajv.RULES.all[keyword];
    if (typeof rule === 'object') wrapKeyword(rule, write);
  }
}

function writeAnyOf(union: KeywordCxt): void {
  const { gen, it } = union;
  const valid = gen.let('valid', false);
  eachBranch(union, (branch, at) => {
    const write = (): void => {
      const inner = union.subschema({ keyword: 'anyOf', schemaProp: at, compositeRule: true }, branch);
      gen.assign(valid, _`${valid} || ${branch}`);
      union.mergeValidEvaluated(inner, branch);
    };
    // Each branch that fits says which parameters are known.
    if (it.opts.unevaluated === true) write();
    else gen.if(_`!${valid}`, write);
  });
  conclude(union, valid);
}

function writeOneOf(union: KeywordCxt): void {
  const { gen } = union;
  const valid = gen.let('valid', false);
  const passing = gen.let('passing', null);
  union.setParams({ passing });
  eachBranch(union, (branch, at) => {
    gen.if(_`!Array.isArray(${passing})`, () => {
      const inner = union.subschema({ keyword: 'oneOf', schemaProp: at, compositeRule: true }, branch);
      gen.if(branch, () => {
        gen.assign(valid, _`${passing} === null`).assign(passing, _`${passing} === null ? ${at} : [${passing}, ${at}]`);
        union.mergeEvaluated(inner, Name);
      });
    });
  });
  conclude(union, valid);
}

function eachBranch({ gen, schema }: KeywordCxt, write: (branch: Name, at: number) => void): void {
  const branch = gen.name('_valid');
  for (const at of (schema as unknown[]).keys()) write(branch, at);
}

function conclude(union: KeywordCxt, valid: Name): void {
  union.result(
    valid,
    () => union.reset(),
    () => union.error(true),
  );
}
