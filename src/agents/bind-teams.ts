import type { Teams } from '../contract/index.ts';

/**
 * The teams as one member sees them, from its own session: its team alone, in its own name.
 * @param teams of the session that leads
 */
export function bindTeams(teams: Teams, member: { readonly team: string; readonly name: string }): Teams {
  const refuse = (): never => {
    throw new Error('Only the one who leads may do this with a team: write to the others, or answer.');
  };
  return {
    create: refuse,
    join: refuse,
    remove: () => Promise.resolve().then(refuse),
    get: (name) => (name === member.team ? teams.get(name) : undefined),
    list: () => teams.list().filter(({ name }) => name === member.team),
    send({ team, to, text }) {
      if (team !== member.team) throw new Error(`You are in team "${member.team}": write to its members.`);
      return teams.send({ team, to, text, from: member.name });
    },
  };
}
