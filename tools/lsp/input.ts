import { z } from 'zod';
import { LANGUAGE_OPERATIONS, type LanguageOperation, type Validation } from '../../src/contract/index.ts';

/** Names that models know from elsewhere. */
const OTHER_NAMES = {
  goToDefinition: 'definition',
  goToImplementation: 'implementation',
  findReferences: 'references',
  documentSymbol: 'document_symbols',
  workspaceSymbol: 'workspace_symbols',
} as const;
type OtherName = keyof typeof OTHER_NAMES;
const OTHERS = Object.keys(OTHER_NAMES) as OtherName[];

const count = z.int().min(1).max(10_000_000).optional();

export const lspInput = z.strictObject({
  operation: z
    .enum([...LANGUAGE_OPERATIONS, ...OTHERS])
    .describe(`What to ask. ${OTHERS.map((name) => `${name} means ${OTHER_NAMES[name]}`).join(', ')}.`),
  file_path: z.string().min(1).max(4096).describe('Path of the file: absolute, or relative to the working directory.'),
  line: count.describe('Line of the name that is asked about, counted from 1.'),
  character: count.describe('Where the name stands in its line, counted from 1.'),
  query: z.string().min(1).max(1_000).optional().describe('Part of the name of a symbol; for workspace_symbols.'),
});
export type LspInput = z.output<typeof lspInput>;

const AT_A_PLACE = new Set<LanguageOperation>(['definition', 'implementation', 'references', 'hover']);

export function operationOf({ operation }: LspInput): LanguageOperation {
  return isOtherName(operation) ? OTHER_NAMES[operation] : operation;
}

export function isAtPlace(input: LspInput): boolean {
  return AT_A_PLACE.has(operationOf(input));
}

/** Whether there is all that the operation needs. */
export function checkInput(input: LspInput): Validation {
  const operation = operationOf(input);
  if (isAtPlace(input) && (input.line === undefined || input.character === undefined)) {
    return { ok: false, message: `${operation} needs line and character: give the place of the name that is meant, both counted from 1.` };
  }
  if (operation === 'workspace_symbols' && input.query === undefined) {
    return { ok: false, message: 'workspace_symbols needs query: give a part of the name that is looked for.' };
  }
  return { ok: true };
}

function isOtherName(operation: LspInput['operation']): operation is OtherName {
  return Object.hasOwn(OTHER_NAMES, operation);
}
