import { z } from 'zod';
import {
  buildTool,
  descriptionOf,
  type CallContext,
  type PermissionContext,
  type PermissionMode,
  type SessionState,
  type ToolPermission,
  type ToolResult,
  type View,
} from '../../src/contract/index.ts';

const MAX_PLAN_CHARS = 50_000;
/** The plan, which the model must get back whole, and the sentences around it. */
const MAX_RESULT_CHARS = MAX_PLAN_CHARS + 1_000;

/** What a yes to the plan lets happen. */
const AFTERWARDS: Readonly<Record<PermissionMode, string>> = {
  default: 'changes are asked for one by one',
  acceptEdits: 'edits inside of the workspace run without being asked for',
  plan: 'nothing is changed',
  dontAsk: 'what no rule allows is denied without being asked for',
  bypassPermissions: 'nearly everything runs without being asked for',
  auto: 'a classifier judges most calls instead of people',
};

const inputSchema = z.strictObject({
  plan: z.string().min(1).max(MAX_PLAN_CHARS).describe('The whole plan, in Markdown, as people will read it.'),
});
type Input = z.output<typeof inputSchema>;

export default buildTool<typeof inputSchema>({
  name: 'ExitPlanMode',
  searchHint: 'hand in a plan for approval, leave plan mode',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  hints: { destructive: false },
  checkPermissions: askForPlan,
  permissionSubjects: () => [],
  // The mode changes together with the result: a call that was cut off has changed nothing, and may run again.
  effect: () => 'read',
  maxResultChars: MAX_RESULT_CHARS,
  call: leave,
  renderUse: ({ plan }) => draw('Plan', plan),
  renderResult: ({ plan }, { isError, content }) =>
    isError === true ? { title: 'Plan', ...(typeof content === 'string' && { subtitle: content }) } : draw('Plan approved', plan),
  renderRejected: ({ plan }, reason) => ({ ...draw('Plan not approved', plan), subtitle: reason }),
});

/** No rule and no mode lets a plan pass unseen: only a question that the tool asks itself stands above them. */
function askForPlan(input: Input, { state, allowedModes }: PermissionContext): ToolPermission<Input> {
  // Outside of plan mode there is nothing to decide: the call says what is wrong.
  if (state.mode !== 'plan') return { behavior: 'allow', input };
  const mode = modeAfter(state);
  if (allowedModes?.includes(mode) === false) {
    const reason = `The session would go on in mode ${mode}, which the operator does not allow: it stays in plan mode. Give the user the plan as your answer.`;
    return { behavior: 'deny', reason };
  }
  return {
    behavior: 'ask',
    reason: `The plan is ready to be carried out. Allowing it ends plan mode: the session goes on in mode ${mode}, in which ${AFTERWARDS[mode]}.`,
  };
}

function leave({ plan }: Input, { state }: CallContext): ToolResult {
  if (state.mode !== 'plan') {
    return { content: 'The session is not in plan mode, so there is no plan to approve: go on with the work.', isError: true };
  }
  return {
    content: `The plan was approved, and plan mode is over (mode ${modeAfter(state)}). Carry it out as it stands here: people may have changed it.\n\n${plan}`,
    contextModifier: (current) => (current.mode === 'plan' ? { ...current, mode: modeAfter(current), modeBefore: undefined } : current),
  };
}

/** A session that was in plan mode from its beginning goes on in the mode in which changes are asked for. */
function modeAfter({ modeBefore }: SessionState): PermissionMode {
  return modeBefore === undefined || modeBefore === 'plan' ? 'default' : modeBefore;
}

function draw(title: string, plan: string): View {
  return { title, body: { kind: 'markdown', text: plan } };
}
