import { Problem } from '../../contract/index.ts';
import { checkForm } from '../../formats/schema-issues.ts';
import { PATCHABLE, SessionOptions, type SessionSettings } from './session-options.ts';

/**
 * Applies a merge patch (RFC 7396) to a session's settings: `null` takes a key back to its default.
 * @throws Problem `invalid-request` for a key that cannot be changed, or a result that is not valid
 */
export function mergeSettings(settings: SessionSettings, patch: Record<string, unknown>): SessionSettings {
  const fixed = Object.keys(patch).filter((key) => !PATCHABLE.some((name) => name === key));
  if (fixed.length > 0) {
    const issues = fixed.map((path) => ({ path, message: 'cannot be changed' }));
    throw new Problem('invalid-request', `Only ${PATCHABLE.join(', ')} can be changed.`, { issues });
  }
  const merged = checkForm(SessionOptions, mergePatch(settings, patch), 'The session options are');
  if ('error' in merged) throw merged.error;
  return merged.value;
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
