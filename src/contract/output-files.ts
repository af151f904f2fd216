// The port to the files that hold whole outputs of calls whose result was cut.

export interface OutputFiles {
  /** Absolute path of the file that belongs to this call; nothing is created. */
  pathFor(turnId: string, index: number): string;
  /** Writes text that did not fit into a result. @returns its size in bytes */
  write(path: string, text: string): Promise<number>;
}
