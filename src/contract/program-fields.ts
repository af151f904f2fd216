// What somebody writes down about programs that are talked to: name → what to start.
import { z } from 'zod';

const MAX_ENTRIES = 100;

export const ServerName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,40}$/, { error: 'A server name has letters, digits, _ and - only, at most 40.' });

/** A text that a program can be given. */
export function withoutNul(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => !text.includes('\0'), { error: 'A NUL character cannot be passed on: remove it.' });
}

/** @param mayChange whether `env` may set this variable */
export function programFields(mayChange: (variable: string) => boolean = () => true) {
  return {
    command: withoutNul(4_096).min(1, { error: 'Give the program to start.' }).describe('A path from the workspace, or a name to look up.'),
    args: z.array(withoutNul(32_768)).max(MAX_ENTRIES).default([]),
    env: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, { error: 'A variable name has letters, digits and _ only.' })
          .refine(mayChange, { error: 'This variable changes how programs load: it cannot be set.' }),
        withoutNul(32_768),
      )
      .refine((env) => Object.keys(env).length <= MAX_ENTRIES, { error: `At most ${MAX_ENTRIES} entries.` })
      .default({}),
  };
}
