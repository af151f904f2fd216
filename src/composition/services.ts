// What the calls of a session may use beside files and commands, joined: the web, the model, agents and teams, language servers.
import { bindTeams } from '../agents/bind-teams.ts';
import { createModel } from '../agents/create-model.ts';
import { createTeams } from '../agents/teams.ts';
import { NO_AGENTS, NO_MODEL } from '../agents/without-model.ts';
import type { Config } from '../config.ts';
import type { Agents, Teams, Report } from '../contract/index.ts';
import { inputFromText } from '../formats/call-input.ts';
import type { SessionRegistry } from '../sessions/registry/registry.ts';
import type { ServedSession, SessionParts } from '../sessions/session-parts.ts';
import { joinAgents } from './agents.ts';
import type { JoinedGuards } from './guards.ts';
import { joinLanguageServers } from './language-servers.ts';
import type { OperatorSettings } from './operator-settings.ts';
import { runSchedule } from './run-schedule.ts';
import { joinWeb } from './web.ts';

export interface ServicesOptions {
  readonly config: Config;
  readonly operator: Pick<OperatorSettings, 'languageServers'>;
  readonly guards: Pick<JoinedGuards, 'guardedFetch' | 'sandboxFor'>;
  readonly sessions: () => SessionRegistry;
  readonly report: Report;
}

export function joinServices({ config, operator, guards, sessions, report }: ServicesOptions): SessionParts['servicesFor'] {
  const web = joinWeb({ config, guardedFetch: guards.guardedFetch });
  const model = config.model === undefined ? undefined : createModel({ ...config.model, readInput: inputFromText });
  const languages = joinLanguageServers({ servers: operator.languageServers, sandboxFor: guards.sandboxFor, report });
  const agentsFor: (session: ServedSession) => Agents = model === undefined ? () => NO_AGENTS : joinAgents({ config, model, sessions });
  /** Of the sessions that are open, by their ids. */
  const teamsOf = new Map<string, Teams>();
  return (session, tasks) => {
    const { child } = session;
    const theirs = child?.member === undefined ? undefined : teamsOf.get(child.sessionId);
    // A member writes to the team that it is in, under its own name.
    const teams = theirs === undefined || child?.member === undefined ? createTeams({ tasks }) : bindTeams(theirs, child.member);
    teamsOf.set(session.id, teams);
    const agents = agentsFor(session);
    const languageServers = languages.languageServersFor(session);
    return {
      web,
      model: model ?? NO_MODEL,
      agents,
      teams,
      languageServers,
      async runSchedule(schedule) {
        try {
          await runSchedule({ schedule, agents, tasks, state: session.state });
        } catch (error) {
          report(`schedule ${schedule.id} of session ${session.id} could not be carried out`, error);
        }
      },
      get busy() {
        return languageServers.busy;
      },
      async close() {
        // Another object may have taken the place of this session's meanwhile.
        if (teamsOf.get(session.id) === teams) teamsOf.delete(session.id);
        await languageServers.close();
      },
    };
  };
}
