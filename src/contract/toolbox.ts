// The port to the tools of one session.
import type { ToolCatalog } from './catalog.ts';
import type { RemoteServer } from './remote-tools.ts';
import type { ToolIndex } from './tool-index.ts';
import type { DescribeContext } from './tool.ts';

/** What definitions of tools can be exported for. */
export const TOOL_FORMATS = ['anthropic', 'openai_chat', 'openai_responses', 'mcp'] as const;
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** The tools one session has, wherever they come from: what is there at the moment of each look. */
export interface Toolbox {
  readonly catalog: ToolCatalog;
  readonly index: ToolIndex;
  readonly count: number;
  /** Where tools may come from beside the service itself. */
  readonly servers: readonly RemoteServer[];
  /** True while something is open that may remember what the session did. */
  readonly busy: boolean;
  /** `sha256:…` over the exported definitions and which of them are loaded. */
  hash(context: DescribeContext): string;
  /** As a model's API takes them. */
  export(format: ToolFormat, context: DescribeContext): Readonly<Record<string, unknown>>[];
  /** Tools that the export leaves out or marks as deferred, for those who want to tell the model their names. */
  deferred(): readonly { readonly name: string; readonly search_hint: string }[];
  /** Connects to the servers that tools come from; resolves when each is ready or has failed, or `signal` fires. Never throws. */
  connect(signal: AbortSignal): Promise<void>;
  /** Resolves when the server that a tool of this name comes from is ready or has failed, at once for any other. Never throws. */
  ready(toolName: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
