import { z } from 'zod';
import { buildTool, descriptionOf, type CallContext, type ToolResult } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({ team_name: z.string().min(1).max(64).describe('Name of the team.') });
type Input = z.output<typeof inputSchema>;

interface Output {
  /** Names of those that were in it. */
  readonly members: readonly string[];
}

export default buildTool<typeof inputSchema, Output>({
  name: 'TeamDelete',
  searchHint: 'end a team of agents and stop its members',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  permissionSubjects: () => [],
  timeoutMs: 60_000,
  call: deleteTeam,
  renderUse: ({ team_name: name }) => ({ title: `End team ${name}` }),
  renderGroup: (inputs) => ({ title: 'End teams', subtitle: inputs.map(({ team_name: name }) => name).join(', ') }),
});

async function deleteTeam({ team_name: name }: Input, { teams }: CallContext): Promise<ToolResult<Output>> {
  const members = (teams.get(name)?.members ?? []).map((member) => member.name);
  await teams.remove(name);
  const who = members.length === 0 ? 'It had no members.' : `Its members were ${members.join(', ')}; none of them works any more.`;
  return { content: `There is no team "${name}" any more. ${who}`, output: { members } };
}
