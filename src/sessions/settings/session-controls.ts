// The few settings that a call may look at or change, as the session has them.
import type { ControlKey, SessionControls } from '../../contract/index.ts';
import { mergeSettings } from './merge-settings.ts';
import type { SessionSettings } from './session-options.ts';

interface Controlled {
  readonly settings: SessionSettings;
  change(next: (settings: SessionSettings) => SessionSettings): Promise<void>;
}

const READ: Readonly<Record<ControlKey, (settings: SessionSettings) => string | number>> = {
  max_concurrency: ({ execution }) => execution.max_concurrency,
  on_tool_error: ({ execution }) => execution.on_tool_error,
  on_disconnect: ({ execution }) => execution.on_disconnect,
  ask_timeout_ms: ({ permissions }) => permissions.ask_timeout_ms,
  ttl_ms: ({ ttl_ms }) => ttl_ms,
};

export function sessionControls(session: Controlled): SessionControls {
  return {
    get: (key) => READ[key](session.settings),
    set: (key, value) => session.change((settings) => mergeSettings(settings, patchFor(key, value))),
  };
}

function patchFor(key: ControlKey, value: unknown): Record<string, unknown> {
  if (key === 'ttl_ms') return { ttl_ms: value };
  if (key === 'ask_timeout_ms') return { permissions: { ask_timeout_ms: value } };
  return { execution: { [key]: value } };
}
