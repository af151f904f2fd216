// JSON objects that people type.

/** An object, or what is not right about the text. */
export interface Read {
  readonly value?: unknown;
  readonly fault?: string;
}

export function readJson(text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `This is not JSON yet: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'This must be a JSON object: begin with { and end with }.' };
  return { value };
}

/** Pretty JSON; a text that is no JSON value stays empty. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
