// Makes the validators of one Ajv count their work, keyword by keyword: a schema that refers to its own parts twice doubles
// the work with each level, and a long list of rules for a long input is much work as well.
import { _ } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { wrapKeyword } from './wrap-keyword.ts';

/** What one input may cost: several times what the longest input of a model does. */
const MAX_STEPS = 1_000_000;
/** Characters of a text that count as one step. */
const TEXT_CHARS = 100;
/** The same for values in the schema, which are compared one by one. */
const VALUE_CHARS = 64;

/** Keywords that look at everything in a value. */
const THOROUGH = new Set([
  'additionalProperties',
  'contains',
  'items',
  'maxLength',
  'maxProperties',
  'minLength',
  'minProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

export interface StepCount {
  /** Before each validation. */
  readonly restart: () => void;
  /** @throws Error when all steps are spent */
  readonly spend: (steps: number) => void;
}

/** For an Ajv that has compiled nothing yet. Its validators then throw where an input takes too many steps. */
export function countSteps(ajv: Ajv2020): StepCount {
  let left = 0;
  const spend = (steps: number): void => {
    left -= steps;
    if (left < 0) throw new Error('it is too much for the schema of the tool. Give less at once.');
  };
  const spendOn = (steps: number, value: unknown): void => spend(steps + extentOf(value));
  for (const rule of [...ajv.RULES.rules, ajv.RULES.post].flatMap(({ rules }) => rules)) {
    wrapKeyword(rule, ({ gen, data, keyword, schema }, write) => {
      const ref = THOROUGH.has(keyword) ? spendOn : spend;
      gen.code(_`${gen.scopeValue('func', { ref })}(${stepsOf(keyword, schema)}, ${data})`);
      write();
    });
  }
  return { spend, restart: () => (left = MAX_STEPS) };
}

/** @param value that the keyword has in the schema */
function stepsOf(keyword: string, value: unknown): number {
  if (keyword === 'const' || keyword === 'enum') return 1 + Math.floor(JSON.stringify(value).length / VALUE_CHARS);
  return typeof value === 'object' && value !== null ? 1 + Object.keys(value).length : 1;
}

function extentOf(value: unknown): number {
  if (typeof value === 'string') return Math.floor(value.length / TEXT_CHARS);
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
