// Header fields that somebody writes down for requests of the service.
import { z } from 'zod';

export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
/** Printable ASCII on one line. */
export const HEADER_VALUE = /^[\t\x20-\x7e]{0,8192}$/;

const MOST = 50;

/** @param own names of fields that belong to the connection, or that the service sets itself */
export function headerFields(own: RegExp) {
  return z
    .record(
      z
        .string()
        .regex(HEADER_NAME, { error: 'that is no name of a header' })
        .refine((name) => !own.test(name), { error: 'this header cannot be set' }),
      z.string().regex(HEADER_VALUE, { error: 'give printable ASCII on one line, at most 8192 characters' }),
    )
    .refine((headers) => Object.keys(headers).length <= MOST, { error: `at most ${MOST} headers` })
    .default({});
}
