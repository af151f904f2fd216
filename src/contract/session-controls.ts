// The port to the few settings of a session that a call may look at or change.

export const CONTROL_KEYS = ['max_concurrency', 'on_tool_error', 'on_disconnect', 'ask_timeout_ms', 'ttl_ms'] as const;
export type ControlKey = (typeof CONTROL_KEYS)[number];

export interface SessionControls {
  get(key: ControlKey): string | number;
  /** Holds from the next turn on. @throws Error fit for a model when the value is not of the kind that the key takes */
  set(key: ControlKey, value: unknown): Promise<void>;
}
