/** Who decided, in words for the call's event and for `plan`. */
export interface Decision {
  readonly behavior: 'allow' | 'ask' | 'deny';
  /** `rule`, `mode <name>`, `hook`, `tool`, `sandbox`, `policy` (something failed and failed closed), `approval`. */
  readonly decided_by: string;
  /** The text of the rule, when one decided. */
  readonly rule?: string;
  /** For people and for the model; present unless `allow`. */
  readonly reason?: string;
}
