import type { Judgement, ToolPermission } from '../contract/index.ts';
import { isCriticalRemoval } from './touched/critical-removal.ts';
import type { Access } from './touched/file-access.ts';
import { matchForbidding } from './rules/match-forbidding.ts';
import type { Matter } from './matter.ts';
import type { Place } from './paths/place.ts';
import { isProtected } from './paths/protected-path.ts';
import { basesOf } from './rules/rule.ts';
import type { TouchedItem } from './touched/touched.ts';
import { placesNamed } from './rules/unread-code.ts';

/** What a person must be asked, whatever would allow it; `null` when there is nothing of the kind. */
export async function asking(matter: Matter, own: ToolPermission<unknown>): Promise<Judgement | null> {
  const { call, settings, mode, touched, scope } = matter;
  // First, so that nobody says yes to it by the answer to another question.
  for (const item of touched.items) {
    if (item.kind === 'command' && (await isCriticalRemoval(item, scope, settings.realPath))) {
      return ask('policy', 'The line may remove the root, the home directory, or a whole directory of this session.');
    }
  }
  if (call.hook?.behavior === 'ask') return ask('hook', call.hook.reason ?? 'A hook wants this call to be asked for.');
  for (const rule of [...settings.deny, ...settings.ask]) {
    const match = matchForbidding(rule, touched, { bases: basesOf(rule, scope, settings.source), sandboxed: settings.sandboxed });
    if (match === 'yes') return { ...ask('rule', `The rule ${rule.text} wants it to be asked for.`), rule: rule.text };
    if (match === 'maybe') return { ...ask('rule', doubt(rule.text, matter)), rule: rule.text };
  }
  if (own.behavior === 'ask') return ask('tool', own.reason);
  if (mode === 'bypassPermissions') return null;
  const guarded = touched.items.flatMap((item) => writes(item, matter)).find((place) => isProtected(place, scope));
  return guarded === undefined
    ? null
    : ask('policy', `${guarded.shown} decides what programs run or may do, so that no rule or mode allows to change it.`);
}

function ask(decided_by: string, reason: string): Judgement {
  return { behavior: 'ask', decided_by, reason };
}

function doubt(rule: string, { touched }: Matter): string {
  const unread = touched.items.find((item) => item.kind === 'command' && !item.reading.understood);
  const why =
    unread?.kind === 'command' && !unread.reading.understood
      ? `the line ${unread.reading.reason}`
      : 'only the shell knows what the line runs or names';
  return `Whether it falls under the rule ${rule} cannot be told: ${why}.`;
}

function writes(item: TouchedItem, { scope, settings: { sandboxed } }: Matter): readonly Place[] {
  if (item.kind === 'file') return item.access === 'write' ? [item.place] : [];
  if (item.kind === 'other' && item.code === true) return placesNamed(item.text ?? '', scope.cwd);
  if (item.kind !== 'command') return [];
  // What may be a write, or not, is for a sandbox to hold, if there is one.
  const counts = (access: Access): boolean => access === 'write' || (access === 'either' && !sandboxed);
  return item.parts.flatMap(({ files }) => files.flatMap(({ access, place }) => (counts(access) ? [place] : [])));
}
