// The port to tools that come from servers elsewhere, and come and go with them.
import type { Tool } from './tool.ts';

export interface RemoteServer {
  readonly name: string;
  readonly state: 'idle' | 'connecting' | 'ready' | 'failed';
  /** Of one that failed, for people and models. */
  readonly reason?: string;
}

/** What one session has of such tools. */
export interface RemoteTools {
  /** In the order of the servers; those of servers that are not connected, or no longer, are not among them. */
  tools(): readonly Tool[];
  /** Another number whenever `tools()` gives others. */
  readonly version: number;
  readonly servers: readonly RemoteServer[];
  /** True while something is open that may remember what the session did. */
  readonly busy?: boolean;
  /** Connects to all servers side by side; resolves when each is ready or has failed, or `signal` fires. Never throws. */
  connect(signal: AbortSignal): Promise<void>;
  /** Connects to the server that a tool of this name would come from; resolves as `connect`, and at once for any other name. Never throws. */
  ready(toolName: string, signal: AbortSignal): Promise<void>;
  /** The session has no more use for them. */
  close(): Promise<void>;
}

/** Where there are none. */
export const NO_REMOTE_TOOLS: RemoteTools = {
  tools: () => [],
  version: 0,
  servers: [],
  connect: () => Promise.resolve(),
  ready: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
