// The language servers of one session: which one is asked about a file, and how many run at once.
import { basename } from 'node:path';
import type { LanguageServers, OpenProgram, Report } from '../contract/index.ts';
import { KeptServer } from './kept-server.ts';
import { DEFAULT_LIMITS, type LanguageServerLimits } from './ports.ts';
import type { LanguageServerSettings } from './settings.ts';

export interface LanguageServersOptions {
  readonly settings: LanguageServerSettings;
  /** Absolute real path. */
  readonly workspace: string;
  readonly openProgram: OpenProgram;
  readonly report: Report;
  readonly limits?: Partial<LanguageServerLimits>;
}

export interface SessionLanguageServers extends LanguageServers {
  /** True while a server runs: it would have to read everything anew. */
  readonly busy: boolean;
  /** Ends all of them, also those that start; nothing is asked after it. Never throws. */
  close(): Promise<void>;
}

interface Kind {
  readonly extension: string;
  readonly language: string;
  readonly name: string;
}

export function createLanguageServers({ settings, limits: given, ...options }: LanguageServersOptions): SessionLanguageServers {
  const limits = { ...DEFAULT_LIMITS, ...given };
  const kinds = kindsOf(settings);
  const kindOf = (path: string): Kind | undefined => kinds.find(({ extension }) => basename(path).toLowerCase().endsWith(extension));
  const languageOf = (path: string): string => kindOf(path)?.language ?? 'plaintext';
  const servers = new Map(
    Object.entries(settings).map(([name, each]) => [name, new KeptServer({ ...options, name, settings: each, limits, languageOf })]),
  );
  let closed: Promise<unknown> | undefined;
  return {
    get busy() {
      return [...servers.values()].some((server) => server.isRunning);
    },
    async ask(question) {
      if (closed !== undefined) throw new Error('The session has ended, and its language servers with it.');
      const kind = kindOf(question.path);
      const server = kind && servers.get(kind.name);
      if (server === undefined) throw new Error(noServer(question.path, kinds));
      if (!server.isRunning) makeRoom([...servers.values()], limits.servers);
      return server.ask(question);
    },
    async close() {
      closed ??= Promise.all([...servers.values()].map((server) => server.close()));
      await closed;
    },
  };
}

/** Longer extensions first: `.d.ts` is closer than `.ts`. */
function kindsOf(settings: LanguageServerSettings): Kind[] {
  return Object.entries(settings)
    .flatMap(([name, { extensions }]) =>
      Object.entries(extensions).map(([extension, language]) => ({ extension: extension.toLowerCase(), language, name })),
    )
    .toSorted((one, other) => other.extension.length - one.extension.length);
}

function noServer(path: string, kinds: readonly Kind[]): string {
  const there = kinds.map(({ extension, name }) => `${extension} (${name})`).toSorted();
  const known = there.length === 0 ? 'There are none at all.' : `There are some for ${there.join(', ')}.`;
  return `No language server is configured for ${basename(path)}. ${known} Use Grep and Read instead.`;
}

/** @throws Error when all of them are at work */
function makeRoom(servers: readonly KeptServer[], most: number): void {
  const running = servers.filter((server) => server.isRunning);
  if (running.length < most) return;
  const [oldest] = running.filter((server) => !server.isAsked).toSorted((one, other) => one.lastAsked - other.lastAsked);
  if (oldest === undefined)
    throw new Error(`${most} language servers are at work, which is as many as a session may have: ask again later.`);
  void oldest.rest();
}
