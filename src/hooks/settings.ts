// What may be written down about hooks, by an operator or for one session: event → groups → handlers.
import { z } from 'zod';
import { headerFields, HOOK_EVENTS, type HookEvent } from '../contract/index.ts';

/** Whose hook it is. A session's hooks can only make an answer stricter, never milder. */
export type HookSource = 'operator' | 'session';

/** Seconds. */
const DEFAULT_TIMEOUT = 600;
const MAX_TIMEOUT = 3_600;
const MAX_GROUPS = 50;
const MAX_HANDLERS = 20;

const text = (max: number) =>
  z
    .string()
    .min(1, { error: 'give a text that is not empty' })
    .max(max, { error: `at most ${max} characters` });
const Rule = text(1_000).describe('One permission rule, such as "Bash(git push:*)": only calls that it matches run the hook.');

const common = {
  /** One permission rule. */
  if: Rule.optional(),
  timeout: z
    .number()
    .positive({ error: 'give seconds, more than 0' })
    .max(MAX_TIMEOUT, { error: `give seconds, at most ${MAX_TIMEOUT}` })
    .default(DEFAULT_TIMEOUT)
    .describe('Seconds until the hook is stopped.'),
  /** A code other than 0 and 2, or an answer that cannot be read, also blocks. */
  onFailure: z.literal('block', { error: 'give "block", or leave it out' }).optional(),
  /** For terminals: this service has none. */
  statusMessage: z.string().max(1_000).optional(),
};
/** A hook that is late or cannot run then does not block. */
const onTimeout = z.literal('allow', { error: 'give "allow", or leave it out' }).optional();

const command = {
  ...common,
  type: z.literal('command'),
  command: text(10_000).describe('A line for bash. It gets the occasion as JSON on its standard input.'),
  shell: z.literal('bash', { error: 'bash is the only shell' }).optional(),
};

const http = {
  ...common,
  type: z.literal('http'),
  url: z.url({ protocol: /^https?$/, error: 'give a URL that begins with http:// or https://' }).max(2_048),
  headers: headerFields(),
  /** Variables that `$NAME` and `${NAME}` in the values of headers stand for; any other name gives nothing. */
  allowedEnvVars: z
    .array(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'that is no name of a variable' })
        .max(200),
    )
    .max(50)
    .default([]),
};

const handlerError = { error: 'give "type": "command" or "http"; other handlers are not supported' };
const Handlers = {
  operator: z.discriminatedUnion('type', [z.strictObject({ ...command, onTimeout }), z.strictObject({ ...http, onTimeout })], handlerError),
  session: z.discriminatedUnion('type', [z.strictObject(command), z.strictObject(http)], handlerError),
};

/** One handler as it was given, with its defaults. */
export type HookHandler = z.output<(typeof Handlers)['operator']>;

const settingsWith = (handler: z.ZodType<HookHandler>) =>
  z.partialRecord(
    z.enum(HOOK_EVENTS),
    z
      .array(
        z.strictObject({
          /** Empty or `*`: all. */
          matcher: z.string().max(300, { error: 'at most 300 characters' }).default(''),
          /** One permission rule for all handlers of the group. */
          if: Rule.optional(),
          hooks: z
            .array(handler)
            .min(1, { error: 'give at least one' })
            .max(MAX_HANDLERS, { error: `at most ${MAX_HANDLERS}` }),
        }),
      )
      .max(MAX_GROUPS, { error: `at most ${MAX_GROUPS}` }),
  );

/** The form of the hooks of each source. Whether matchers and rules mean anything is for `readHooks` to say. */
export const HookSettings = { operator: settingsWith(Handlers.operator), session: settingsWith(Handlers.session) };

/** Groups by event. */
export type HookGroups = z.output<(typeof HookSettings)['operator']>;
export type HookGroup = NonNullable<HookGroups[HookEvent]>[number];
