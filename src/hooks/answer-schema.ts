// What a hook may print. Keys that are not known are passed over, since scripts print what they like; a known key with a
// value that means nothing makes the whole answer unreadable, since it may have been meant as a no.
import { z } from 'zod';

const text = z.string().nullish();
const input = z.record(z.string(), z.unknown()).nullish();

const PermissionAnswer = z.looseObject({
  behavior: z.enum(['allow', 'deny']),
  updatedInput: input,
  updatedPermissions: z.unknown().optional(),
  message: text,
  interrupt: z.boolean().nullish(),
});

const Specific = z.looseObject({
  hookEventName: text,
  permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).nullish(),
  permissionDecisionReason: text,
  updatedInput: input,
  additionalContext: text,
  /** Of PermissionRequest. */
  decision: PermissionAnswer.nullish(),
  /** Of PermissionDenied: the model may try again. */
  retry: z.boolean().nullish(),
  /** Of PostToolUse. */
  updatedToolOutput: z.unknown().optional(),
  updatedMCPToolOutput: z.unknown().optional(),
});

export const HookAnswer = z.looseObject({
  continue: z.boolean().nullish(),
  stopReason: text,
  systemMessage: text,
  decision: z.enum(['approve', 'block']).nullish(),
  reason: text,
  hookSpecificOutput: Specific.nullish(),
});
export type HookAnswer = z.output<typeof HookAnswer>;
