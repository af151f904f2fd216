/** What a check has found. */
export interface Finding {
  /** What was looked at. */
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do, where something is to be done. */
  readonly fix?: string;
}
