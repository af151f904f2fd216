// The tools of all servers of one session, under the names that the session knows them by.
import type { RemoteServer, RemoteTools, Tool } from '../../contract/index.ts';
import type { McpLimits } from './ports.ts';
import { remoteTool } from './remote-tool.ts';
import type { ServerLink } from './server-link.ts';
import { nameTools, prefixOf } from './tool-names.ts';

/** One server of a session. */
export interface SessionServer {
  readonly link: ServerLink;
  /** Milliseconds that one call may take. */
  readonly timeoutMs: number;
}

export interface SessionToolsOptions {
  readonly servers: readonly SessionServer[];
  readonly limits: McpLimits;
  readonly onClose: () => void;
}

export interface SessionTools extends RemoteTools {
  /** Some server has other tools than before. */
  changed(): void;
}

export function createSessionTools({ servers, limits, onClose }: SessionToolsOptions): SessionTools {
  let version = 0;
  let known: readonly Tool[] | undefined;
  return {
    changed() {
      version += 1;
      known = undefined;
    },
    tools: () => (known ??= servers.flatMap((server) => toolsOf(server, limits))),
    get version() {
      return version;
    },
    get servers(): readonly RemoteServer[] {
      return servers.map(({ link }) => link.status);
    },
    get busy() {
      return servers.some(({ link }) => link.busy);
    },
    async connect(signal) {
      await Promise.all(servers.map(({ link }) => link.connect(signal)));
    },
    async ready(toolName, signal) {
      await servers.find(({ link }) => toolName.startsWith(prefixOf(link.name)))?.link.connect(signal);
    },
    async close() {
      await Promise.all(servers.map(({ link }) => link.close()));
      onClose();
    },
  };
}

function toolsOf({ link, timeoutMs }: SessionServer, limits: McpLimits): Tool[] {
  const listed = link.tools();
  const names = nameTools(
    link.name,
    listed.map(({ name }) => name),
  );
  return listed.map((tool) => remoteTool({ link, tool, name: names.get(tool.name) ?? tool.name, timeoutMs, limits }));
}
