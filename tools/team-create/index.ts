import { z } from 'zod';
import { buildTool, descriptionOf, type CallContext, type Team, type ToolResult } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({
  team_name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'give 1 to 64 letters, digits, _ or -' })
    .describe('Name of the new team.'),
  description: z.string().max(1_000).optional().describe('What the team works on.'),
});
type Input = z.output<typeof inputSchema>;

export default buildTool<typeof inputSchema, Team>({
  name: 'TeamCreate',
  searchHint: 'make a team of agents that write to each other',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  permissionSubjects: () => [],
  call: createTeam,
  renderUse: ({ team_name: name, description }) => ({
    title: `New team ${name}`,
    ...(description !== undefined && { subtitle: description }),
  }),
  renderGroup: (inputs) => ({ title: 'New teams', subtitle: inputs.map(({ team_name: name }) => name).join(', ') }),
});

function createTeam({ team_name: name, description = '' }: Input, { teams }: CallContext): ToolResult<Team> {
  const team = teams.create({ name, description });
  return {
    content: `There is a team "${name}" now. Start its members with Agent, giving "team_name": "${name}" and a "name" for each.`,
    output: team,
  };
}
