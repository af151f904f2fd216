// Whether a stranger's schema can be used at all, told at once and without compiling it: that is done when the first call comes.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { messageOf, type JsonSchema, type Tool } from '../contract/index.ts';
import { inputJsonSchema } from './input-schema.ts';
import { inputValidator } from './input-validator.ts';
import { schemaKind } from './schema-kind.ts';
import { referencesOf, resolvePointer, rewriteSchema } from './schema-parts.ts';

/** What only a compiler follows. */
const NAMES_PLACES = /"\$(id|anchor|dynamicAnchor|dynamicRef|recursiveAnchor|recursiveRef)"/;

const known = new WeakMap<object, { readonly fault: string | undefined }>();
let metaschema: Ajv2020 | undefined;

/** Why models and validators cannot use the input schema of a tool, as a sentence; `undefined` when they can. Never throws. */
export function schemaFault(tool: Tool): string | undefined {
  const before = known.get(tool.inputSchema);
  if (before) return before.fault;
  const fault = findFault(tool);
  known.set(tool.inputSchema, { fault });
  return fault;
}

function findFault(tool: Tool): string | undefined {
  try {
    const schema = inputJsonSchema(tool);
    if (schemaKind(tool.inputSchema).kind !== 'json') return undefined;
    metaschema ??= new Ajv2020({ strict: false, validateFormats: false });
    if (metaschema.validateSchema(schema) !== true) return `its input schema is no valid JSON Schema: ${metaschema.errorsText()}`;
    if (NAMES_PLACES.test(JSON.stringify(schema))) inputValidator(tool);
    return brokenPart(schema);
  } catch (error) {
    return messageOf(error);
  }
}

/** What is well-formed and still means nothing. */
function brokenPart(schema: JsonSchema): string | undefined {
  const nowhere = referencesOf(schema).find((reference) => resolvePointer(schema, reference) === undefined);
  if (nowhere !== undefined && !NAMES_PLACES.test(JSON.stringify(schema)))
    return `its input schema refers to ${nowhere}, which is not in it`;
  let empty = false;
  rewriteSchema(schema, (part) => {
    if (Array.isArray(part['enum']) && part['enum'].length === 0) empty = true;
    return part;
  });
  return empty ? 'its input schema has a list of values (enum) without any' : undefined;
}
