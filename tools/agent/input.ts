import { z } from 'zod';
import type { Validation } from '../../src/contract/index.ts';

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'give 1 to 64 letters, digits, _ or -' });

export const agentInput = z.strictObject({
  description: z.string().min(1).max(200).describe('What the task is, in 3 to 5 words, for people.'),
  prompt: z
    .string()
    .min(1)
    .max(200_000)
    .describe('The whole task, with everything the agent has to know and what its answer has to contain.'),
  subagent_type: z.string().max(64).default('general-purpose').describe('What kind of agent: "general-purpose" or "explore".'),
  run_in_background: z.boolean().optional().describe('Do not wait for the answer: the agent goes on as a task.'),
  name: name.optional().describe('Name of the agent in its team, by which others write to it.'),
  team_name: name.optional().describe('Team that the agent joins. It then works in the background.'),
});
export type AgentInput = z.output<typeof agentInput>;

export function validateAgent({ name: member, team_name: team }: AgentInput): Validation {
  if ((member === undefined) === (team === undefined)) return { ok: true };
  return { ok: false, message: 'Give `name` and `team_name` together, for a member of a team, or neither.' };
}
