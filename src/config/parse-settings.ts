import type { z } from 'zod';
import { clipped } from '../contract/index.ts';
import { ConfigError } from './config-error.ts';

/** @param naming the setting at a path, for the operator */
export function parseSettings<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  naming: (path: string[]) => string,
): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).map(String);
  if (issue?.code === 'unrecognized_keys') throw new ConfigError(`${naming(path)} has ${issue.keys.join(', ')}, which is not a setting.`);
  const inList = typeof issue?.path.at(-1) === 'number';
  throw new ConfigError(`${naming(path)} ${inList ? 'has' : 'is'} ${shownValue(issue?.input)}: ${issue?.message ?? 'it is wrong'}.`);
}

export function shownValue(value: unknown): string {
  return clipped(JSON.stringify(value) ?? 'absent', 200);
}
