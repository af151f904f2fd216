export interface Mount {
  /** The same outside and inside. */
  readonly path: string;
  /**
   * `write`, `read`: the host's own file or directory. `optional`: the same as `read`, left out when it is missing.
   * `denied-file`, `denied-directory`: something that cannot be opened. `hidden-directory`: an empty one.
   */
  readonly kind: 'write' | 'read' | 'optional' | 'denied-file' | 'denied-directory' | 'hidden-directory';
}
