// The port through which permission rules read a command line without knowing a parser.

export interface CommandWord {
  /** What the program will get, unquoted; `null` when only the shell will know it. */
  readonly value: string | null;
  /** As it was written, quotes and all. */
  readonly written: string;
  /** Set when only wildcards for file names are expanded in it: the pattern, in which a backslash makes the next character literal. */
  readonly pattern?: string;
}

export interface CommandAssignment {
  readonly name: string;
  /** `null` when only the shell will know it. */
  readonly value: string | null;
}

export interface CommandRedirect {
  readonly access: 'read' | 'write';
  /** `null` when only the shell will know which file. */
  readonly path: string | null;
}

/** One program that a line would run, wherever in the line it stands; or a test, a sum or redirections that belong to no program. */
export interface CommandPart {
  /** Name and arguments; empty where no program is started. */
  readonly words: readonly CommandWord[];
  /** The words as they were written, one blank between them; of a part without words, what stands there. */
  readonly text: string;
  /** Assignments in front of the name, or alone. */
  readonly assignments: readonly CommandAssignment[];
  /** Files that redirections of this part read or write. Descriptors and /dev/null are left out. */
  readonly redirects: readonly CommandRedirect[];
  /** The part, redirections aside, was judged to change nothing. */
  readonly readOnly: boolean;
  /** Expanding the part may run text that is no part of its own: arithmetic on names, indirect expansion and their like. */
  readonly opaque: boolean;
}

export type CommandReading =
  | { readonly understood: true; readonly parts: readonly CommandPart[] }
  | {
      readonly understood: false;
      /** What follows "the line". */
      readonly reason: string;
      readonly parts: readonly CommandPart[];
    };

export interface CommandReader {
  /** Never throws. Parts that were found are told also when the line as a whole is not understood: a deny rule may match them. */
  read(command: string): CommandReading;
}
