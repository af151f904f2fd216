// Permission modes as far as this version has them. What is not understood to be harmless is refused. The reason goes to a
// model, which can do the work another way or tell the user, but cannot change the mode: so that is what it says.
import { isWithin } from '../contract/index.ts';
import type { Decision, JudgedCall, PermissionContext, PermissionMode, PermissionSubject, Policy } from '../contract/index.ts';

/** The tool's own check first, then the mode; whatever neither allows is denied. */
export const modePolicy: Policy = {
  async decide(call, context) {
    const own = await call.tool.checkPermissions(call.input, context);
    if (own.behavior === 'deny') return { behavior: 'deny', decided_by: 'tool', reason: own.reason };
    if (own.behavior === 'ask') {
      return { behavior: 'deny', decided_by: 'tool', reason: `${own.reason} Nobody can be asked here: do without it, or tell the user.` };
    }
    return byMode(call, context);
  },
};

function byMode(call: JudgedCall, context: PermissionContext): Decision {
  const { mode } = context.state;
  if (mode === 'bypassPermissions') return allow(mode);
  if (mode === 'auto') return deny(mode, 'runs no tools, since the service has no classifier that could judge them: tell the user.');
  const subjects = call.tool.permissionSubjects(call.input, context);
  if (subjects.length === 0) return deny(mode, UNKNOWN);
  const reason = subjects.map((subject) => refusal(subject, call, context)).find((text) => text !== null);
  return reason === undefined || reason === null ? allow(mode) : deny(mode, reason);
}

function allow(mode: PermissionMode): Decision {
  return { behavior: 'allow', decided_by: `mode ${mode}` };
}

function deny(mode: PermissionMode, reason: string): Decision {
  return { behavior: 'deny', decided_by: `mode ${mode}`, reason: `This session (mode ${mode}) ${reason}` };
}

const UNKNOWN = 'does not run this tool, since it does not say what it touches: do without it, or tell the user.';

/** Why this mode does not let the call touch the subject, told of the session, or `null` when it does. */
function refusal(subject: PermissionSubject, call: JudgedCall, context: PermissionContext): string | null {
  switch (subject.kind) {
    case 'path':
      return pathRefusal(subject, call, context);
    case 'command':
      return 'runs no commands: do it with the file tools, or tell the user.';
    case 'url':
      return `does not reach ${subject.url}: do without it, or tell the user.`;
    case 'other':
      return UNKNOWN;
  }
}

type PathSubject = Extract<PermissionSubject, { kind: 'path' }>;

function pathRefusal({ path, access }: PathSubject, call: JudgedCall, context: PermissionContext): string | null {
  const { workspace, state, readableRoots = [workspace], writableRoots = [workspace] } = context;
  const changes = access === 'write' || !call.readOnly;
  if (changes && state.mode !== 'acceptEdits') return 'changes nothing: tell the user what you would change.';
  const [roots, does] = access === 'write' ? [writableRoots, 'write'] : [readableRoots, 'read'];
  if (roots.some((root) => isWithin(root, path))) return null;
  return `does not ${does} ${path}: use a path inside of ${workspace}, or tell the user.`;
}
