// Language servers as sessions use them: the operator's settings, each session's own programs in its sandbox, under its rules.
import { isDeepStrictEqual } from 'node:util';
import type { Report } from '../contract/index.ts';
import { createLanguageServers, type SessionLanguageServers } from '../language-servers/create-language-servers.ts';
import type { LanguageServerSettings } from '../language-servers/settings.ts';
import type { SessionAbout } from '../sessions/session-parts.ts';
import type { SessionSettings } from '../sessions/settings/session-options.ts';
import type { HeldBy } from './commands.ts';
import { startProgram } from './start-program.ts';

export interface LanguageServersOptions {
  readonly servers: LanguageServerSettings;
  readonly sandboxFor: (settings: SessionSettings, session: SessionAbout) => HeldBy;
  readonly report: Report;
}

/** The settings are those of the moment. */
type LookedAt = SessionAbout & { readonly settings: SessionSettings };

export interface JoinedLanguageServers {
  /** Those of one session, which whoever asks for them closes. Nothing runs before the first question. */
  readonly languageServersFor: (session: LookedAt) => SessionLanguageServers;
}

export function joinLanguageServers({ servers, sandboxFor, report }: LanguageServersOptions): JoinedLanguageServers {
  return {
    languageServersFor: (session) =>
      underRules(session, () =>
        createLanguageServers({
          settings: servers,
          workspace: session.place.workspace,
          openProgram: (order) => startProgram({ ...order, readOnly: true }, session, sandboxFor(session.settings, session)),
          report: (what, error) => report(`${what} (session ${session.id})`, error),
        }),
      ),
  };
}

/** A program sees what the rules let it see when it starts: once they are others, others are started. */
function underRules(session: LookedAt, open: () => SessionLanguageServers): SessionLanguageServers {
  let { permissions } = session.settings;
  let current = open();
  /** Those that are being ended. */
  const ending = new Set<Promise<void>>();
  const end = (servers: SessionLanguageServers): void => {
    const ended = servers.close().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  return {
    get busy() {
      return current.busy;
    },
    ask(question) {
      if (!isDeepStrictEqual(permissions, session.settings.permissions)) {
        ({ permissions } = session.settings);
        if (current.busy) {
          end(current);
          current = open();
        }
      }
      return current.ask(question);
    },
    async close() {
      end(current);
      await Promise.all(ending);
    },
  };
}
