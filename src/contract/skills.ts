// The port to skills: folders with a SKILL.md, of which the model first sees a line and, when it wants one, the whole.

export interface SkillSummary {
  readonly name: string;
  /** What it is for and when to use it. */
  readonly description: string;
  /** Who wrote it: the operator, or whoever wrote the workspace. */
  readonly source: 'operator' | 'workspace';
  /** What its arguments are, such as `<version>`. */
  readonly argumentHint?: string;
}

export interface Skill extends SkillSummary {
  /** Absolute path of its folder, which Read may open. */
  readonly directory: string;
  /** What lies in the folder beside SKILL.md, relative to it: not more than a model can look through. */
  readonly files: readonly string[];
  /** Text of SKILL.md without its front matter. */
  readonly body: string;
  /** Rules under which its calls need no question. Empty for those of a workspace: its files may not widen what is allowed. */
  readonly allowedTools: readonly string[];
}

export interface Skills {
  /** In code point order of names; the operator's win over others of the same name. */
  list(): readonly SkillSummary[];
  /** @throws Error fit for a model when there is no such skill or it cannot be read */
  load(name: string): Promise<Skill>;
}
