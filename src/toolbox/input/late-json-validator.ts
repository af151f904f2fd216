import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type * as JsonValidator from './json-validator.ts';

const require = createRequire(import.meta.url);
const FILE = `./json-validator${extname(import.meta.filename)}`;
let loaded: typeof JsonValidator | undefined;

/** Loaded, with Ajv, when the first plain JSON Schema comes, and in no time for others in between: those who ask do not wait. */
export function jsonValidator(): typeof JsonValidator {
  loaded ??= require(FILE) as typeof JsonValidator;
  return loaded;
}
