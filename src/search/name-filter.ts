// Most globs ask for names alone, such as `*.ts`. Then the walk itself can keep to them, as to the files of a language: ripgrep
// looks at those after .gitignore, while a glob of its own would bring ignored files back.

/** At any depth, a name of plain characters, single stars and plain alternatives: what means the same to ripgrep as to us. */
const BY_NAME = /^\*\*\/((?:[\w.-]|\*(?!\*)|\{[\w.-]+(?:,[\w.-]+)*\})+)$/;

/** Options by which a walk passes over other names; `null` for a glob that needs whole paths. @param glob for a whole path */
export function nameFilter(glob: string): readonly string[] | null {
  const name = BY_NAME.exec(glob)?.[1];
  return name === undefined ? null : [`--type-add=named:${name}`, '--type=named'];
}
