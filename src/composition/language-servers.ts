// Language servers as sessions use them: the operator's settings, each session's own programs in its sandbox.
import type { Config } from '../config.ts';
import { createLanguageServers, type SessionLanguageServers } from '../language-servers/create-language-servers.ts';
import { LanguageServerSettings } from '../language-servers/settings.ts';
import type { Report, SessionAbout } from '../sessions/session-parts.ts';
import type { SessionSettings } from '../sessions/session-options.ts';
import type { HeldBy } from './commands.ts';
import { startProgram } from './start-program.ts';

export interface LanguageServersOptions {
  readonly config: Pick<Config, 'languageServers'>;
  readonly sandboxFor: (settings: SessionSettings, session: SessionAbout) => HeldBy;
  readonly report: Report;
}

export interface JoinedLanguageServers {
  /** Names of those that are configured: without any, no session can ask. */
  readonly names: readonly string[];
  /** Those of one session, which whoever asks for them closes. Nothing runs before the first question. */
  readonly languageServersFor: (settings: SessionSettings, session: SessionAbout) => SessionLanguageServers;
}

/** @throws Error for settings of the operator that cannot be read */
export function joinLanguageServers({ config, sandboxFor, report }: LanguageServersOptions): JoinedLanguageServers {
  const servers = readSettings(config.languageServers);
  return {
    names: Object.keys(servers),
    languageServersFor: (settings, session) =>
      createLanguageServers({
        settings: servers,
        workspace: session.place.workspace,
        openProgram: (order) => startProgram(order, session, sandboxFor(settings, session)),
        report: (what, error) => report(`${what} (session ${session.id})`, error),
      }),
  };
}

function readSettings(given: unknown): LanguageServerSettings {
  const parsed = LanguageServerSettings.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // What is wrong with a key stands one level deeper.
  const message = issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message;
  throw new Error(`TOOLEXEC_CONFIG, language_servers, ${issue?.path.join('.') ?? ''}: ${message ?? 'they cannot be read'}`);
}
