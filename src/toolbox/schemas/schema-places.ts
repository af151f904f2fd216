// What references name: a place by its pointer, a part by an anchor, or a part by an id of its own.
import { resolvePointer, type JsonSchema } from '../../contract/index.ts';
import { innerSchemas } from './schema-parts.ts';

/** Stands for the address of a schema that has none. */
const HERE = 'https://schema.invalid/';

export interface SchemaPlaces {
  /** What a reference that stands in a part names; `undefined` when it leads nowhere. */
  readonly resolve: (reference: string, from: JsonSchema) => unknown;
  /** Whether a part stands where schemas do. References may also lead elsewhere, such as into a `const`. */
  readonly has: (part: JsonSchema) => boolean;
}

export function schemaPlaces(root: JsonSchema): SchemaPlaces {
  /** Addresses of the documents that the parts belong to. */
  const documents = new Map<JsonSchema, string>();
  const named = new Map<string, JsonSchema>([[`${HERE}#`, root]]);
  const enter = (part: JsonSchema, around: string): void => {
    const { $id: id, $anchor: anchor, $dynamicAnchor: dynamicAnchor } = part;
    const { document, fragment } = addressOf(typeof id === 'string' ? id : '', around);
    documents.set(part, document);
    const fragments = [anchor, dynamicAnchor, ...(typeof id === 'string' ? [fragment] : [])];
    for (const name of fragments) if (typeof name === 'string') named.set(`${document}#${name}`, part);
    for (const [, inner] of innerSchemas(part)) enter(inner, document);
  };
  enter(root, HERE);
  return {
    has: (part) => documents.has(part),
    resolve(reference, from) {
      const { document, fragment } = addressOf(reference, documents.get(from) ?? HERE);
      const within = named.get(`${document}#`);
      return fragment.startsWith('/') && within ? resolvePointer(within, `#${fragment}`) : named.get(`${document}#${fragment}`);
    },
  };
}

/** @param around address of the document in which the reference stands */
function addressOf(reference: string, around: string): { readonly document: string; readonly fragment: string } {
  const [path = ''] = reference.split('#', 1);
  const document = path === '' ? around : (URL.parse(path, around)?.href ?? path);
  return { document, fragment: reference.slice(path.length + 1) };
}
