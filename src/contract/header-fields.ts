// Header fields: those of one connection, and those that somebody writes down for requests of the service.
import { z } from 'zod';

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
/** Printable ASCII on one line. */
const HEADER_VALUE = /^[\t\x20-\x7e]{0,8192}$/;
const MOST = 100;

/** Fields of one connection, never of what passes through it (RFC 9110, 7.6.1). */
export const OF_CONNECTION = /^(connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;
export const OF_BODY = /^content-(length|type)$/i;

/** Tells which fields of a message may be passed on: those that its `Connection` does not name either. Names are in lower case. */
export function passesOn({ connection = '' }: { readonly connection?: string | undefined }): (name: string) => boolean {
  const named = connection.split(',').map((name) => name.trim().toLowerCase());
  return (name) => !OF_CONNECTION.test(name) && !named.includes(name);
}

/** @param own names of fields that the service sets itself, beside those of the connection and of the body */
export function headerFields(own?: RegExp) {
  const isOurs = (name: string): boolean => OF_CONNECTION.test(name) || OF_BODY.test(name) || own?.test(name) === true;
  return z
    .record(
      z
        .string()
        .regex(HEADER_NAME, { error: 'that is no name of a header' })
        .refine((name) => !isOurs(name), { error: 'this header cannot be set' }),
      z.string().regex(HEADER_VALUE, { error: 'give printable ASCII on one line, at most 8192 characters' }),
    )
    .refine((headers) => Object.keys(headers).length <= MOST, { error: `at most ${MOST} headers` })
    .default({});
}
