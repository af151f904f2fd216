// Permission modes as far as this version has them. What is not understood to be harmless is refused with its reason.
import { relative } from 'node:path';
import type { Decision, JudgedCall, PermissionContext, PermissionMode, PermissionSubject, Policy } from '../contract/index.ts';

/** The tool's own check first, then the mode; whatever neither allows is denied. */
export const modePolicy: Policy = {
  async decide(call, context) {
    const own = await call.tool.checkPermissions(call.input, context);
    if (own.behavior === 'deny') return { behavior: 'deny', decided_by: 'tool', reason: own.reason };
    if (own.behavior === 'ask') return { behavior: 'deny', decided_by: 'tool', reason: `${own.reason} Approvals are not available.` };
    return byMode(call, context);
  },
};

function byMode(call: JudgedCall, context: PermissionContext): Decision {
  const { mode } = context.state;
  if (mode === 'bypassPermissions') return allow(mode);
  const subjects = call.tool.permissionSubjects(call.input, context);
  const refused =
    subjects.length === 0
      ? 'it does not say what it touches'
      : subjects.map((subject) => refusal(subject, call, context)).find((text) => text !== null);
  if (refused === undefined || refused === null) return allow(mode);
  return { behavior: 'deny', decided_by: `mode ${mode}`, reason: `${refused} (permission mode ${mode}).` };
}

function allow(mode: PermissionMode): Decision {
  return { behavior: 'allow', decided_by: `mode ${mode}` };
}

/** Why this mode does not let the call touch the subject, or `null` when it does. */
function refusal(subject: PermissionSubject, call: JudgedCall, context: PermissionContext): string | null {
  if (subject.kind !== 'path') return 'only the file tools run without an approval, and approvals are not available: use bypassPermissions';
  if (!isInside(subject.path, context.workspace)) return `${subject.path} is outside the workspace`;
  if (subject.access === 'read' && call.readOnly) return null;
  if (context.state.mode === 'acceptEdits') return null;
  return context.state.mode === 'plan'
    ? 'nothing is written in plan mode'
    : 'writing needs an approval, and approvals are not available: use acceptEdits or bypassPermissions';
}

function isInside(path: string, workspace: string): boolean {
  const way = relative(workspace, path);
  return way === '' || (!way.startsWith('..') && !way.startsWith('/'));
}
