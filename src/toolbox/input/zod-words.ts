// Plain words in the place of Zod's own. They are handed to the parser, so that a message of the tool's author wins.
import type { z } from 'zod';
import type { ZodErrorMap } from 'zod/v3';
import type { Bound, Measured } from './plain-words.ts';
import { atLeast, atMost, exactly, FINITE_NUMBER, multipleOf, NOT_ALLOWED, NO_FORM, ofFormat, UNKNOWN_NAME } from './plain-words.ts';

/** What a text must begin with, end with or hold. */
interface Parts {
  readonly prefix?: unknown;
  readonly startsWith?: unknown;
  readonly suffix?: unknown;
  readonly endsWith?: unknown;
  readonly includes?: unknown;
}

/** What Zod 4 and `zod/v3` tell of a value that is wrong, under the names of both. */
interface Complaint extends Parts {
  readonly code?: string | undefined;
  readonly origin?: unknown;
  readonly type?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: unknown;
  readonly exact?: unknown;
  readonly divisor?: unknown;
  readonly multipleOf?: unknown;
  readonly format?: unknown;
  readonly validation?: unknown;
  readonly pattern?: unknown;
}

const MEASURED: Readonly<Record<string, Measured>> = { string: 'characters', array: 'items', set: 'items', map: 'keys', object: 'keys' };

/** For `safeParse` of Zod 4. */
export const ZOD_WORDS: z.core.ParseContext<z.core.$ZodIssue> = { error: (issue) => words(issue) };

/** For `safeParse` of `zod/v3`. */
export const ZOD3_WORDS: { errorMap: ZodErrorMap } = { errorMap: (issue, { defaultError }) => ({ message: words(issue) ?? defaultError }) };

function words(complaint: Complaint): string | undefined {
  switch (complaint.code) {
    case 'too_small':
      return bounded(complaint, complaint.minimum, atLeast);
    case 'too_big':
      return bounded(complaint, complaint.maximum, atMost);
    case 'not_multiple_of':
      return multipleOf(complaint.divisor ?? complaint.multipleOf);
    case 'not_finite':
      return FINITE_NUMBER;
    case 'invalid_format':
    case 'invalid_string':
      return formed(complaint);
    case 'invalid_union':
      return NO_FORM;
    case 'invalid_key':
      return UNKNOWN_NAME;
    case 'custom':
      return NOT_ALLOWED;
    default:
      return undefined;
  }
}

function bounded(complaint: Complaint, limit: unknown, say: (bound: Bound) => string): string | undefined {
  if (typeof limit !== 'number' && typeof limit !== 'bigint') return undefined;
  const measured = MEASURED[String(complaint.origin ?? complaint.type)] ?? 'number';
  const bound = { measured, limit, inclusive: complaint.inclusive !== false };
  return complaint.exact === true ? exactly(bound) : say(bound);
}

function formed({ format, validation, pattern, ...whole }: Complaint): string {
  // `zod/v3` gives an object where a part of the text is at fault.
  const parts = typeof validation === 'object' && validation !== null ? (validation as Parts) : whole;
  const [start, end, inside] = [parts.prefix ?? parts.startsWith, parts.suffix ?? parts.endsWith, parts.includes];
  if (start !== undefined) return `must start with ${JSON.stringify(start)}`;
  if (end !== undefined) return `must end with ${JSON.stringify(end)}`;
  if (inside !== undefined) return `must contain ${JSON.stringify(inside)}`;
  const name = String(format ?? validation);
  return name === 'regex' ? `must match ${typeof pattern === 'string' ? pattern : 'the pattern of its schema'}` : ofFormat(name);
}
