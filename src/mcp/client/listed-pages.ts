// What a server may list, over all pages of a listing. Pages are cut before anything else reads them: what is left out here
// has cost no more than its message.
import { isSpecType } from '@modelcontextprotocol/client';
import { jsonLength } from './json-length.ts';
import type { McpLimits } from './ports.ts';

export interface ListedPagesOptions {
  readonly limits: Pick<McpLimits, 'tools' | 'toolCharacters'>;
  /** Names of tools whose definition is none: the SDK would refuse the whole list because of one. */
  readonly onDropped: (names: readonly string[]) => void;
}

export interface ListedPages {
  /** A listing begins, whatever became of the one before. */
  begin(): void;
  /** Cuts one page, in place. The last one that is let through names no further one. */
  cut(page: Record<string, unknown>): void;
  /** Why the newest listing is not whole; `undefined` when it is. */
  readonly cutShort: string | undefined;
}

export function createListedPages({ limits, onDropped }: ListedPagesOptions): ListedPages {
  let tools = 0;
  let characters = 0;
  let ended = false;
  let cutShort: string | undefined;

  function begin(): void {
    [tools, characters, ended, cutShort] = [0, 0, false, undefined];
  }

  function reasonToStop(): string | undefined {
    if (tools > limits.tools) return `a server may have ${limits.tools}`;
    if (characters > limits.toolCharacters) return `the definitions of all may have ${limits.toolCharacters} characters`;
    return undefined;
  }

  return {
    begin,
    cut(page) {
      if (ended) begin();
      const kept: unknown[] = [];
      const dropped: string[] = [];
      for (const tool of page['tools'] as unknown[]) {
        tools += 1;
        characters += jsonLength(tool);
        cutShort = reasonToStop();
        if (cutShort !== undefined) break;
        if (isSpecType.Tool(tool)) kept.push(tool);
        else dropped.push(nameOf(tool));
      }
      if (dropped.length > 0) onDropped(dropped);
      page['tools'] = kept;
      if (cutShort !== undefined) delete page['nextCursor'];
      ended = page['nextCursor'] === undefined;
    },
    get cutShort() {
      return cutShort;
    },
  };
}

function nameOf(tool: unknown): string {
  const name: unknown = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined;
  return typeof name === 'string' ? name : '(without a name)';
}
