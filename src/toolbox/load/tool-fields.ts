// What an author without types may get wrong in a definition: said at the start, before a call runs into it.
import { z } from 'zod';
import type { Tool } from '../../contract/index.ts';

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, { error: 'give 1 to 64 letters, digits, _ or -' });
const fn = z.custom<unknown>((value) => typeof value === 'function', { error: 'give a function' });
const flag = z.boolean({ error: 'give true or false' });
const yes = z.literal(true, { error: 'give true, or leave it out' });
const count = z.number({ error: 'give a number' }).positive({ error: 'give a number above 0' });
const schema = z.custom<unknown>((value) => typeof value === 'object' && value !== null, {
  error: 'give a Zod schema or a JSON Schema object',
});

const FIELDS = {
  name,
  inputSchema: schema,
  description: z.custom<unknown>((value) => typeof value === 'function' || typeof value === 'string', {
    error: 'give a text or a function',
  }),
  call: fn,
  aliases: z.array(name, { error: 'give a list of names' }).max(20).optional(),
  searchHint: z.string({ error: 'give a text' }).optional(),
  outputSchema: schema.optional(),
  maxResultChars: count.optional(),
  timeoutMs: count.max(86_400_000, { error: 'give at most 86400000' }).optional(),
  interruptBehavior: z.enum(['cancel', 'finish'], { error: 'give cancel or finish' }).optional(),
  abortsSiblings: flag.optional(),
  shouldDefer: flag.optional(),
  alwaysLoad: flag.optional(),
  userFacingName: fn.optional(),
  isEnabled: fn.optional(),
  hints: z
    .strictObject({ readOnly: yes.optional(), destructive: flag.optional(), idempotent: yes.optional() }, { error: 'give an object' })
    .optional(),
  isConcurrencySafe: fn.optional(),
  isReadOnly: fn.optional(),
  isDestructive: fn.optional(),
  footprint: fn.optional(),
  validateInput: fn.optional(),
  checkPermissions: fn.optional(),
  permissionSubjects: fn.optional(),
  toAutoClassifierInput: fn.optional(),
  effect: fn.optional(),
  intent: fn.optional(),
  probe: fn.optional(),
  renderUse: fn.optional(),
  renderProgress: fn.optional(),
  renderResult: fn.optional(),
  renderRejected: fn.optional(),
  renderError: fn.optional(),
  renderGroup: fn.optional(),
  backfillObservableInput: fn.optional(),
} satisfies Record<keyof Tool, z.ZodType>;

const Definition = z.strictObject(FIELDS, { error: 'export a tool as the default export' });

/** What is wrong with the fields of a definition, in one line; `undefined` when nothing is. */
export function fieldFault(definition: unknown): string | undefined {
  const { error } = Definition.safeParse(definition);
  if (error === undefined) return undefined;
  return error.issues
    .flatMap(({ path, message, ...issue }) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `tools have no field ${[...path, key].join('.')}`)
        : [[...path, message].join(': ')],
    )
    .join('; ');
}
