import { z } from 'zod';
import { buildTool, descriptionOf, type CallContext, type Teams, type ToolResult } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({
  team_name: z.string().min(1).max(64).optional().describe('Name of the team; may be left out when there is one.'),
  to: z.string().min(1).max(64).describe('Name of a member, or "*" for all.'),
  message: z.string().min(1).max(10_000).describe('What to tell.'),
});
type Input = z.output<typeof inputSchema>;

interface Output {
  /** Names of those who got it. */
  readonly receivers: readonly string[];
}

export default buildTool<typeof inputSchema, Output>({
  name: 'SendMessage',
  searchHint: 'write to an agent of a team',
  // Of the session that leads, and of the agents in its teams.
  isEnabled: ({ flags }) => flags.has('person') || flags.has('member'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  permissionSubjects: () => [],
  call: sendMessage,
  renderUse: ({ to, message }) => ({ title: `Message to ${to === '*' ? 'all' : to}`, body: { kind: 'text', text: message } }),
  renderGroup: (inputs) => ({ title: 'Messages', subtitle: `to ${[...new Set(inputs.map(({ to }) => to))].join(', ')}` }),
});

function sendMessage({ team_name: given, to, message }: Input, { teams }: CallContext): ToolResult<Output> {
  const team = given ?? onlyTeam(teams);
  const receivers = teams.send({ team, to, text: message });
  return { content: `The message waits for ${receivers.join(', ')}.`, output: { receivers } };
}

/** @throws Error when it is not clear which one is meant */
function onlyTeam(teams: Teams): string {
  const names = teams.list().map(({ name }) => name);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw new Error(
    only === undefined ? 'There is no team: make one with TeamCreate.' : `Say which team with "team_name": ${names.join(', ')}.`,
  );
}
