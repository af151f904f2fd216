// The teams of one session: agents that run in its background and write to each other. Kept in memory: they end with the session.
import type { BackgroundTasks, Team, TeamMember, Teams } from '../contract/index.ts';
import { Inbox } from './inbox.ts';

const MAX_TEAMS = 5;
const MAX_MEMBERS = 10;
const MAX_MESSAGE_CHARS = 10_000;

interface Joined extends TeamMember {
  readonly inbox: Inbox;
}

interface OpenTeam {
  readonly name: string;
  readonly description: string;
  readonly members: Map<string, Joined>;
}

/** @param tasks of the same session: who is a member is one of its tasks, and stays one while that runs */
export function createTeams({ tasks }: { readonly tasks: Pick<BackgroundTasks, 'get' | 'stop'> }): Teams {
  const teams = new Map<string, OpenTeam>();
  const works = ({ taskId }: TeamMember): boolean => tasks.get(taskId)?.status === 'running';
  const find = (name: string): OpenTeam => {
    const team = teams.get(name);
    if (team === undefined) throw new Error(`There is no team "${name}": ${known([...teams.keys()])}.`);
    return team;
  };
  return {
    create({ name, description }) {
      if (teams.has(name)) throw new Error(`There is a team "${name}" already: use it, or take another name.`);
      if (teams.size >= MAX_TEAMS) throw new Error(`There are ${MAX_TEAMS} teams, as many as may be: delete one first.`);
      const team: OpenTeam = { name, description, members: new Map() };
      teams.set(name, team);
      return shown(team);
    },
    get: (name) => {
      const team = teams.get(name);
      return team === undefined ? undefined : shown(team);
    },
    list: () => [...teams.values()].map(shown),
    join(name, { name: member, taskId }) {
      const { members } = find(name);
      const earlier = members.get(member);
      if (earlier !== undefined && works(earlier)) throw new Error(`"${member}" is in team "${name}" already: take another name.`);
      if ([...members.values()].filter(works).length >= MAX_MEMBERS) {
        throw new Error(`Team "${name}" has ${MAX_MEMBERS} members, as many as may be: stop one first, or make another team.`);
      }
      for (const each of members.values()) if (!works(each)) members.delete(each.name);
      const inbox = new Inbox();
      members.set(member, { name: member, taskId, inbox });
      return inbox;
    },
    async remove(name) {
      const { members } = find(name);
      teams.delete(name);
      for (const { inbox } of members.values()) inbox.close();
      await Promise.all([...members.values()].filter(works).map(({ taskId }) => tasks.stop(taskId)));
    },
    send({ team, to, text, from }) {
      if (text.length > MAX_MESSAGE_CHARS)
        throw new Error(`A message has at most ${MAX_MESSAGE_CHARS} characters: write less, or into a file.`);
      const message = `Message from ${from ?? 'the one who leads the team'}:\n${text}`;
      const receivers = receiversOf(find(team), { to, from, works });
      const full = receivers.filter(({ inbox }) => !inbox.hasRoomFor(message)).map(({ name }) => name);
      if (full.length > 0) throw new Error(`Too much waits to be read by ${full.join(', ')}: nothing was sent. Wait, then try again.`);
      for (const { inbox } of receivers) inbox.put(message);
      return receivers.map(({ name }) => name);
    },
  };
}

interface Addressed {
  readonly to: string;
  readonly from: string | undefined;
  readonly works: (member: TeamMember) => boolean;
}

function receiversOf({ name, members }: OpenTeam, { to, from, works }: Addressed): readonly Joined[] {
  const others = [...members.values()].filter((member) => member.name !== from && works(member));
  if (to === '*' && others.length > 0) return others;
  const one = others.find((member) => member.name === to);
  if (one !== undefined) return [one];
  const who =
    members.has(to) && to !== from
      ? `"${to}" has ended its work in team "${name}"`
      : `Team "${name}" has nobody else to write to as "${to}"`;
  throw new Error(`${who}: ${known(others.map((member) => member.name))}.`);
}

function known(names: readonly string[]): string {
  return names.length === 0 ? 'there is none' : `there is ${names.map((name) => `"${name}"`).join(', ')}`;
}

function shown({ name, description, members }: OpenTeam): Team {
  return { name, description, members: [...members.values()].map((member) => ({ name: member.name, taskId: member.taskId })) };
}
