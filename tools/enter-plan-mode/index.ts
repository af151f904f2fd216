import { z } from 'zod';
import { buildTool, descriptionOf, type SessionState } from '../../src/contract/index.ts';

const MEANING =
  'Only calls that read run now; all others are denied. Explore, ask what you need to know, and hand in your plan with ExitPlanMode: once people have approved it, you can carry it out.';

const NO_PLANS = 'The operator of this service does not allow plan mode: plan without it, and ask before you change anything.';

export default buildTool({
  name: 'EnterPlanMode',
  searchHint: 'plan before changing anything, read only',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema: z.strictObject({}),
  description: descriptionOf(import.meta.url),
  hints: { destructive: false, idempotent: true },
  checkPermissions: (input, { allowedModes }) =>
    allowedModes?.includes('plan') === false ? { behavior: 'deny', reason: NO_PLANS } : { behavior: 'allow', input },
  permissionSubjects: () => [],
  // The mode changes together with the result: a call that was cut off has changed nothing, and may run again.
  effect: () => 'read',
  call: (_input, { state }) =>
    state.mode === 'plan'
      ? { content: `The session is in plan mode already. ${MEANING}` }
      : { content: `Plan mode has begun. ${MEANING}`, contextModifier: toPlan },
  renderUse: () => ({ title: 'Enter plan mode' }),
  renderResult: () => ({ title: 'Plan mode', subtitle: 'nothing is changed until a plan is approved' }),
  renderGroup: () => ({ title: 'Enter plan mode' }),
});

function toPlan(state: SessionState): SessionState {
  return state.mode === 'plan' ? state : { ...state, mode: 'plan', modeBefore: state.mode };
}
