// Language servers as a session has them, in a workspace of their own, which end with the test.
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { LanguageAnswer, LanguageQuestion, OpenProgram } from '../../src/contract/index.ts';
import { createLanguageServers, type SessionLanguageServers } from '../../src/language-servers/create-language-servers.ts';
import type { LanguageServerLimits } from '../../src/language-servers/ports.ts';
import { LanguageServerSettings } from '../../src/language-servers/settings.ts';
import { openProgram } from '../../src/sandbox/open-program/open-program.ts';

const FAKE = fileURLToPath(new URL('./fixtures/fake-server.ts', import.meta.url));
const REAL = fileURLToPath(new URL('./lib/cli.mjs', import.meta.resolve('typescript-language-server/package.json')));
const TSSERVER = fileURLToPath(new URL('./lib/tsserver.js', import.meta.resolve('typescript-classic/package.json')));
const NEVER = new AbortController().signal;

/** Settings of the real server for TypeScript, as an operator would write them. */
export const TYPESCRIPT = {
  command: process.execPath,
  args: [REAL, '--stdio'],
  extensions: { '.ts': 'typescript' },
  // Its other server, for syntax alone, would answer wrongly while the project is loaded.
  initialization_options: { tsserver: { path: TSSERVER, useSyntaxServer: 'never' } },
};

export function fake(mode: string, extension = '.fake') {
  return { command: process.execPath, args: [FAKE, mode], extensions: { [extension]: 'fake' } };
}

export interface ServersInTest {
  readonly servers: SessionLanguageServers;
  readonly workspace: string;
  /** What was reported, one a line. */
  readonly reports: string[];
  /** Text that stands in the environment of every server. */
  readonly mark: string;
  readonly write: (name: string, text: string) => Promise<string>;
  /** What a fake server was told, a method a line. */
  readonly told: () => Promise<string[]>;
  /** Asks about a file as it is. */
  readonly ask: (name: string, question: Question) => Promise<LanguageAnswer>;
}

export type Question = Pick<LanguageQuestion, 'operation'> & Partial<LanguageQuestion>;

export interface ServersOptions {
  readonly limits?: Partial<LanguageServerLimits>;
  readonly openProgram?: OpenProgram;
  /** Instead of one of their own. */
  readonly workspace?: string;
}

export async function serversInTest(t: TestContext, settings: object, options: ServersOptions = {}): Promise<ServersInTest> {
  const workspace = options.workspace ?? (await realpath(await mkdtemp(join(tmpdir(), 'toolexec-language-'))));
  const reports: string[] = [];
  const mark = `LANGUAGE_TEST=${workspace}`;
  const plain: OpenProgram = ({ command, args, cwd, env }) =>
    openProgram({ command, args, cwd, env: { PATH: '/usr/local/bin:/usr/bin:/bin', LANGUAGE_TEST: workspace, ...env } });
  const servers = createLanguageServers({
    settings: LanguageServerSettings.parse(settings),
    workspace,
    openProgram: options.openProgram ?? plain,
    report: (what) => void reports.push(what),
    limits: { beginMs: 50, backOffMs: 10, stopMs: 200, ...options.limits },
  });
  t.after(async () => {
    await servers.close();
    await rm(workspace, { recursive: true, force: true });
  });
  return {
    servers,
    workspace,
    reports,
    mark,
    async write(name, text) {
      const path = join(workspace, name);
      await writeFile(path, text);
      return path;
    },
    told: async () => (await readFile(join(workspace, 'told.txt'), 'utf8').catch(() => '')).trim().split('\n'),
    async ask(name, question) {
      const path = join(workspace, name);
      return servers.ask({ path, text: await readFile(path, 'utf8'), signal: NEVER, ...question });
    },
  };
}
