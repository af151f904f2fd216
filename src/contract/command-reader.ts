// The port through which permission rules read a command line without knowing a parser.

/** One program that a line would run, wherever in the line it stands. */
export interface CommandPart {
  /** Name and arguments, unquoted; `null` stands for a word whose value only the shell will know. */
  readonly words: readonly (string | null)[];
  /** The part as it was written, without assignments and redirections. */
  readonly text: string;
  /** Assignments in front of the name; `value` is `null` when only the shell will know it. */
  readonly assignments: readonly { readonly name: string; readonly value: string | null }[];
  /** Files that redirections of this part read or write; `null` when only the shell will know which. Descriptors and /dev/null are left out. */
  readonly redirects: readonly { readonly access: 'read' | 'write'; readonly path: string | null }[];
}

export type CommandReading =
  | {
      readonly understood: true;
      readonly parts: readonly CommandPart[];
      /** The line changes the directory that later parts or calls start in. */
      readonly changesDirectory: boolean;
    }
  | { readonly understood: false; readonly reason: string; readonly parts: readonly CommandPart[] };

export interface CommandReader {
  /** Never throws. Parts that were found are told also when the line as a whole is not understood: a deny rule may match them. */
  read(command: string): CommandReading;
}
