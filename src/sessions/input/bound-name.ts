import { clipped, type ToolUse } from '../../contract/index.ts';

/** Characters of a tool's name that are kept: far more than any tool has. */
const MAX_NAME_CHARS = 200;

/** The call under a name that can be shown: a longer one names no tool, and is cut before it goes into the log and every list. */
export function withBoundName(use: ToolUse): ToolUse {
  return use.name.length <= MAX_NAME_CHARS ? use : { ...use, name: clipped(use.name, MAX_NAME_CHARS) };
}
