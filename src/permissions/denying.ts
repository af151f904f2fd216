import type { Judgement, ToolPermission } from '../contract/index.ts';
import { allowsFile } from './rules/match-allowing.ts';
import { matchForbidding } from './rules/match-forbidding.ts';
import type { Matter } from './matter.ts';
import { isInside } from './paths/place.ts';
import { basesOf, type Rule } from './rules/rule.ts';
import type { TouchedFile, TouchedItem } from './touched/touched.ts';

/** What forbids the call, whatever else speaks for it; `null` when nothing does. */
export function denying(matter: Matter, own: ToolPermission<unknown>): Judgement | null {
  const { call, settings, mode, touched, scope } = matter;
  if (call.hook?.behavior === 'deny') return deny('hook', call.hook.reason ?? 'A hook denies this call.');
  for (const rule of settings.deny) {
    const where = { bases: basesOf(rule, scope, settings.source), sandboxed: settings.sandboxed };
    if (matchForbidding(rule, touched, where) === 'yes') return { ...deny('rule', `The rule ${rule.text} denies it.`), rule: rule.text };
  }
  const outside = touched.items.find((item) => item.kind === 'file' && isOutOfReach(item, matter));
  if (outside?.kind === 'file') {
    const does = outside.access === 'write' ? 'write' : 'read';
    return deny(
      'policy',
      `This session does not ${does} ${outside.place.shown}: use a path inside of ${scope.workspace}, or tell the user.`,
    );
  }
  if (own.behavior === 'deny') return deny('tool', own.reason);
  if (
    mode === 'plan' &&
    touched.items.some((item) => !isOwn(item) && (!call.readOnly || (item.kind === 'file' && item.access === 'write')))
  ) {
    return deny('mode plan', 'This session (mode plan) changes nothing: tell the user what you would change.');
  }
  return null;
}

/** What a session does with itself changes nothing outside of it. */
function isOwn(item: TouchedItem): boolean {
  return item.kind === 'other' && item.own === true;
}

function deny(decided_by: string, reason: string): Judgement {
  return { behavior: 'deny', decided_by, reason };
}

/** Nothing that a client says opens what lies outside: only a rule of the operator's. */
function isOutOfReach({ access, place }: TouchedFile, matter: Matter): boolean {
  const { settings, scope, touched } = matter;
  if (isInside(place, access, scope)) return false;
  const bases = (rule: Rule) => basesOf(rule, scope, settings.source);
  return allowsFile({ access, place }, touched.tool, { rules: settings.allow, scope, basesOf: bases }) === null;
}
