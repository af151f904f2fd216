// `toolexec tools`: what a session with default options may call.
import { parseArgs } from 'node:util';
import { askService, SERVICE_OPTIONS } from './service.ts';
import { table } from './table.ts';
import { oneLine } from './turn-notes.ts';

interface ToolList {
  readonly tools: readonly { readonly name: string; readonly description: string; readonly defer_loading?: boolean }[];
}

/** @returns the exit code. @throws UsageError, Error */
export async function tools(argv: string[], signal: AbortSignal): Promise<number> {
  const { values } = parseArgs({ args: argv, options: { ...SERVICE_OPTIONS, json: { type: 'boolean', default: false } } });
  const service = await askService({ url: values.url, key: values.key, signal });
  try {
    const list = (await (await service.request('/v1/tools')).json()) as ToolList;
    process.stdout.write(values.json ? `${JSON.stringify(list, null, 2)}\n` : draw(list));
    return 0;
  } finally {
    await service.close();
  }
}

function draw({ tools: all }: ToolList): string {
  const rows = all.map(({ name, description, defer_loading }) => [
    name,
    firstSentence(description) + (defer_loading === true ? ' (deferred)' : ''),
  ]);
  return table(rows, process.stdout.columns);
}

function firstSentence(description: string): string {
  return oneLine(/^.*?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description, 1_000);
}
