// The kinds of values that settings have, each with words for what to give instead of a wrong one.
import { z } from 'zod';

export const DAY_MS = 86_400_000;
export const COUNT = { min: 1, max: 1_000_000_000 };
/** Timers do not run longer than this. */
export const TIME = { min: 1, max: DAY_MS };
export const MIB = 1024 * 1024;

interface Range {
  readonly min: number;
  readonly max: number;
}

export const whole = ({ min, max }: Range) => {
  const error = `give a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};
export const wholeText = (range: Range) =>
  z
    .string()
    .trim()
    .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : text))
    .pipe(whole(range));
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, { error: `give ${words.length === 1 ? words[0] : `one of ${words.join(', ')}`}` });
export const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
export const listOf = (what: string, isOne: (part: string) => boolean) =>
  list.pipe(z.array(z.string().refine(isOne, { error: `give ${what}, comma separated` })));

export const httpUrl = z.url({ protocol: /^https?$/, error: 'give a URL that begins with http:// or https://' });
