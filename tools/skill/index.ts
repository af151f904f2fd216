import { z } from 'zod';
import { buildTool, descriptionOf, ONLY_READS, type CallContext, type ContextModifier, type ToolResult } from '../../src/contract/index.ts';
import { fillIn, MAX_ARGUMENT_CHARS } from './fill-in.ts';
import { listOfSkills } from './list-of-skills.ts';
import { textOfSkill } from './text-of-skill.ts';

const describe = descriptionOf(import.meta.url);
/** Room for the largest skill, its files and its arguments. */
const MAX_RESULT_CHARS = 250_000;
/** Rules that a session keeps: the oldest go first. */
const MAX_GRANTS = 500;

const inputSchema = z.strictObject({
  skill: z.string().min(1).max(64).describe('Name of the skill, as it is listed in the description of this tool.'),
  args: z.string().max(MAX_ARGUMENT_CHARS).optional().describe('What the skill is to work on, such as a name or a path.'),
});

export interface SkillOutput {
  readonly name: string;
  readonly source: 'operator' | 'workspace';
  readonly directory: string;
  readonly files: readonly string[];
}

export default buildTool<typeof inputSchema, SkillOutput>({
  name: 'Skill',
  searchHint: 'load instructions for a kind of work',
  inputSchema,
  description: ({ skills = [] }) => `${describe()}\n\nSkills:\n${listOfSkills(skills)}`,
  isEnabled: ({ flags }) => flags.has('skills'),
  ...ONLY_READS,
  permissionSubjects: ({ skill }) => [{ kind: 'other', text: skill, own: true }],
  toAutoClassifierInput: ({ skill, args = '' }) => `${skill} ${args}`.trim(),
  maxResultChars: MAX_RESULT_CHARS,
  call: loadSkill,
  renderUse: ({ skill, args }) => ({ title: `Skill ${skill}`, ...(args !== undefined && { subtitle: args.slice(0, 200) }) }),
  renderResult: ({ skill }, { output }) => ({
    title: `Skill ${skill}`,
    ...(output !== undefined && { subtitle: output.directory, body: { kind: 'list', items: [...output.files] } }),
    collapsed: true,
  }),
  renderGroup: (inputs) => ({ title: 'Skills', subtitle: inputs.map(({ skill }) => skill).join(', ') }),
});

async function loadSkill(
  { skill: name, args = '' }: z.output<typeof inputSchema>,
  { skills }: CallContext,
): Promise<ToolResult<SkillOutput>> {
  const skill = await skills.load(name);
  const { source, directory, files, allowedTools } = skill;
  return {
    content: textOfSkill({ ...skill, body: fillIn(skill.body, args) }),
    output: { name: skill.name, source, directory, files },
    // What lies in a workspace anybody may have written.
    ...(source === 'operator' && allowedTools.length > 0 && { contextModifier: granting(allowedTools) }),
  };
}

function granting(rules: readonly string[]): ContextModifier {
  return (state) => {
    const { grants = [] } = state;
    const more = [...new Set(rules)].filter((rule) => !grants.includes(rule));
    return more.length === 0 ? state : { ...state, grants: [...grants, ...more].slice(-MAX_GRANTS) };
  };
}
