/** What people say to a question. */
export interface ApprovalAnswer {
  readonly behavior: 'allow' | 'deny';
  /** Who answered: `client`, `expiry`, `abort`, `discard`, `settings` (nobody is ever asked). */
  readonly by: string;
  /** For the model, with `deny`. */
  readonly message?: string;
  /** Whole new input: not yet validated. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}
