// What a server finds wrong with a file.
import { z } from 'zod';
import type { CodeDiagnostic } from '../contract/index.ts';
import { listed, Range, startOf } from './read-places.ts';

const MAX_MESSAGE = 2_000;
const MAX_SOURCE = 100;
const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;

const Diagnostic = z.object({
  range: Range,
  message: z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]),
  severity: z.number().nullish(),
  source: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});

export function readDiagnostics(items: unknown, path: string): CodeDiagnostic[] {
  return listed(items).flatMap((item) => {
    const { data } = Diagnostic.safeParse(item);
    if (data === undefined) return [];
    const source = [data.source, data.code].filter(Boolean).join(' ').slice(0, MAX_SOURCE);
    const severity = SEVERITIES[(data.severity ?? 1) - 1] ?? 'error';
    return [{ path, ...startOf(data.range), severity, message: data.message.slice(0, MAX_MESSAGE), ...(source && { source }) }];
  });
}
