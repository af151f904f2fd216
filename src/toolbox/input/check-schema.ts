// Whether a stranger's schema can be used at all, told at once and without compiling it: that is done when the first call comes.
import { messageOf } from '../../contract/index.ts';
import { lookThrough } from './broken-part.ts';
import { inputJsonSchema, type NamedSchema } from '../schemas/input-schema.ts';
import { inputValidator } from './input-validator.ts';
import { jsonValidator } from './late-json-validator.ts';
import { schemaKind } from '../schemas/schema-kind.ts';

const known = new WeakMap<object, { readonly fault: string | undefined }>();

/** Why models and validators cannot use the input schema of a tool, as a sentence; `undefined` when they can. Never throws. */
export function schemaFault(tool: NamedSchema): string | undefined {
  const before = known.get(tool.inputSchema);
  if (before) return before.fault;
  const fault = findFault(tool);
  known.set(tool.inputSchema, { fault });
  return fault;
}

function findFault(tool: NamedSchema): string | undefined {
  try {
    const schema = inputJsonSchema(tool);
    if (schemaKind(tool.inputSchema).kind !== 'json') return undefined;
    const { fault, needsCompiler } = lookThrough(schema);
    if (fault !== undefined) return fault;
    const invalid = jsonValidator().metaschemaFault(schema);
    if (invalid !== undefined) return `its input schema is no valid JSON Schema: ${invalid}`;
    if (needsCompiler) inputValidator(tool);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
