import { z } from 'zod';

const LOST = '__proto__';

/** A record whose keys are the client's own. `__proto__`, which checking would silently drop, is refused. */
export function openRecord<Key extends z.ZodString, Value extends z.ZodType>(key: Key, value: Value) {
  return z.preprocess(
    (given, context) => {
      if (typeof given === 'object' && given !== null && Object.hasOwn(given, LOST))
        context.addIssue({ code: 'custom', path: [LOST], message: `${LOST} cannot be a key here: use another name.` });
      return given;
    },
    z.record(key, value),
  );
}
