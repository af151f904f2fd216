// The skills of a session: the operator's, then those that lie in the workspace. Their heads are read when the session is
// opened, the rest when the model wants one.
import { join } from 'node:path';
import { byCodePoint, messageOf, type Skill, type Skills, type SkillSummary } from '../contract/index.ts';
import { filesOf } from './files-of.ts';
import { headLength, readSkillText, skillName, type SkillText } from './front-matter.ts';
import { entriesOf, textOfFile, type Below } from './held-folder.ts';

export interface SkillSources {
  /** Absolute path of the operator's folder of skills. */
  readonly operator?: string;
  /** Absolute real path of a session's workspace. */
  readonly workspace?: string;
  /** Gets a sentence about what is left out. */
  readonly report: (message: string) => void;
}

const FILE = 'SKILL.md';
const MAX_BYTES = 64 * 1024;
const MAX_SKILLS = 200;
/** Folders of a source that are looked into. */
const MAX_FOLDERS = 400;
/** Characters of all heads of a workspace that are read: anybody may have written them, and each session reads them. */
const MAX_HEADS_CHARS = 131_072;
const MAX_REPORTS = 20;
/** Where a project keeps skills: those of Claude Code, and those for agents of every kind. */
const IN_WORKSPACE = [
  ['.claude', 'skills'],
  ['.agents', 'skills'],
];

interface Found {
  readonly summary: SkillSummary;
  readonly folder: Below;
}

/** Reads what there is. A skill that cannot be read is left out and told of; nothing of that throws. */
export async function readSkills({ operator, workspace, report }: SkillSources): Promise<Skills> {
  const faults: string[] = [];
  const found = new Map<string, Found>();
  let headChars = 0;
  const sources: readonly { source: SkillSummary['source']; folder: Below }[] = [
    ...(operator === undefined ? [] : [{ source: 'operator' as const, folder: { base: operator, names: [], links: true } }]),
    ...(workspace === undefined ? [] : IN_WORKSPACE).map((names) => ({
      source: 'workspace' as const,
      folder: { base: workspace ?? '', names, links: false },
    })),
  ];
  for (const { source, folder } of sources) {
    const entries = await entriesOf(folder);
    if (entries.length > MAX_FOLDERS) faults.push(`Of the skills in ${pathOf(folder)}, only the first ${MAX_FOLDERS} folders are read.`);
    for (const entry of entries.slice(0, MAX_FOLDERS)) {
      const one = { ...folder, names: [...folder.names, entry.name] };
      try {
        const text = await textOfFile(one, FILE, MAX_BYTES);
        if (source === 'workspace') headChars += headLength(text ?? '');
        if (headChars > MAX_HEADS_CHARS) throw new Error(`the heads of those before it have ${MAX_HEADS_CHARS} characters in all`);
        const summary = text === null ? null : summaryOf(readSkillText(text), { folder: one, source });
        if (summary === null || isTaken(summary, found)) continue;
        if (found.size === MAX_SKILLS) throw new Error(`there are ${MAX_SKILLS} skills already`);
        found.set(summary.name, { summary, folder: one });
      } catch (error) {
        faults.push(`The skill in ${JSON.stringify(pathOf(one))} is left out: ${messageOf(error)}.`);
      }
    }
  }
  for (const fault of faults.slice(0, MAX_REPORTS)) report(fault);
  if (faults.length > MAX_REPORTS) report(`${faults.length - MAX_REPORTS} more skills are left out.`);
  const summaries = [...found.values()].map(({ summary }) => summary).toSorted((one, other) => byCodePoint(one.name, other.name));
  return { list: () => summaries, load: (name) => load(name, found) };
}

/** Where two have one name, the operator's counts, then the first. @throws Error when both come from one place */
function isTaken({ name, source }: SkillSummary, found: ReadonlyMap<string, Found>): boolean {
  const other = found.get(name)?.summary;
  if (other?.source === source && source === 'operator') throw new Error(`another one has the name ${name} too`);
  return other !== undefined;
}

/** `null` where there is none for a model. */
function summaryOf(text: SkillText, { folder, source }: { folder: Below; source: SkillSummary['source'] }): SkillSummary | null {
  if (text.forPeople) return null;
  const { description, argumentHint } = text;
  const named = skillName.safeParse(text.name ?? folder.names.at(-1));
  if (!named.success) throw new Error('the name of its folder is none for a skill: give a name in the head');
  return { name: named.data, description, source, ...(argumentHint !== undefined && { argumentHint }) };
}

async function load(name: string, found: ReadonlyMap<string, Found>): Promise<Skill> {
  const skill = found.get(name);
  if (skill === undefined)
    throw new Error(`There is no skill ${JSON.stringify(name)}: use one of those that the description of the tool lists.`);
  const { summary, folder } = skill;
  const text = await skillIn(skill).catch((error: unknown) => {
    throw new Error(`The skill ${name} cannot be read any more: ${messageOf(error)}.`, { cause: error });
  });
  if (text === null) throw new Error(`The skill ${name} is no longer there: ${pathOf(folder)} has no ${FILE}.`);
  return {
    ...summary,
    directory: pathOf(folder),
    files: await filesOf(folder, FILE),
    body: text.body,
    allowedTools: summary.source === 'operator' ? text.allowedTools : [],
  };
}

async function skillIn({ folder }: Found): Promise<SkillText | null> {
  const text = await textOfFile(folder, FILE, MAX_BYTES);
  return text === null ? null : readSkillText(text);
}

function pathOf({ base, names }: Below): string {
  return join(base, ...names);
}
