// What keeps the walk over a schema and a value finite: recursive schemas, deep values and wide unions end here.

export type Schema = Readonly<Record<string, unknown>>;

/** Nested steps of schema and value together, after which a value is taken as it is. */
export const MAX_DEPTH = 256;
/** Questions that one coercion may ask; those after it are answered by giving up. */
const MAX_STEPS = 1_000_000;

/**
 * Makes a recursive function of schema and value that answers each pair once, and gives up when it goes too deep, has
 * taken too many steps, or is asked again what it is still answering.
 */
export function bounded<Answer extends object | boolean>(
  work: (schema: Schema, value: unknown) => Answer,
  giveUp: (value: unknown) => Answer,
): (schema: Schema, value: unknown) => Answer {
  const answers = new Map<Schema, Map<unknown, Answer>>();
  let depth = 0;
  let steps = 0;

  function answer(schema: Schema, value: unknown): Answer {
    steps += 1;
    if (depth >= MAX_DEPTH || steps > MAX_STEPS) return giveUp(value);
    depth += 1;
    const found = work(schema, value);
    depth -= 1;
    return found;
  }
  return (schema, value) => {
    if (isCheap(schema, value)) return answer(schema, value);
    let ofSchema = answers.get(schema);
    if (ofSchema === undefined) answers.set(schema, (ofSchema = new Map()));
    const known = ofSchema.get(value);
    if (known !== undefined) return known;
    ofSchema.set(value, giveUp(value));
    const found = answer(schema, value);
    ofSchema.set(value, found);
    return found;
  };
}

/** Short scalars under schemas that refer to no other ask for nothing else, so there is nothing to remember. */
function isCheap(schema: Schema, value: unknown): boolean {
  if (typeof value === 'object' || (typeof value === 'string' && value.length > 100)) return false;
  return !('$ref' in schema || 'allOf' in schema || 'anyOf' in schema || 'oneOf' in schema);
}

/** True for a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
