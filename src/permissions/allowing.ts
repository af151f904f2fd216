import type { Decision, Judgement } from '../contract/index.ts';
import { editsInside } from './accepts-edits.ts';
import { classify } from './classify.ts';
import { matchAllowing } from './rules/match-allowing.ts';
import { writesGitSettings } from './touched/git-settings.ts';
import type { Matter } from './matter.ts';
import { onlyReadsInside, type Bounds } from './touched/reads-inside.ts';
import { basesOf, type Rule } from './rules/rule.ts';

/** What lets the call run, once nothing forbids it and nothing must be asked; `null` when nothing does. */
export async function allowing(matter: Matter): Promise<Judgement | null> {
  const { call, settings, scope } = matter;
  if (call.hook?.behavior === 'allow') return allow('hook');
  const bounds: Bounds = { scope, sandboxed: settings.sandboxed };
  const byMode = await modeAllows(matter, bounds);
  if (byMode !== null) return byMode;
  if (sandboxAllows(matter)) return allow('sandbox');
  const edits = matter.mode === 'acceptEdits' || matter.mode === 'auto';
  const bases = (rule: Rule) => basesOf(rule, scope, settings.source);
  const rule = await matchAllowing(matter.touched, { ...bounds, rules: settings.allow, basesOf: bases, edits });
  return rule === null ? null : { ...allow('rule'), rule: rule.text };
}

function allow(decided_by: string): Decision {
  return { behavior: 'allow', decided_by };
}

async function modeAllows(matter: Matter, bounds: Bounds): Promise<Judgement | null> {
  const { mode, touched, settings, call } = matter;
  const decided = `mode ${mode}`;
  if (mode === 'bypassPermissions' || (await onlyReadsInside(touched, bounds))) return allow(decided);
  if (mode !== 'acceptEdits' && mode !== 'auto') return null;
  if (await editsInside(touched, bounds, settings.commands)) return allow(decided);
  if (mode === 'acceptEdits' || settings.classifier === undefined) return null;
  const verdict = await classify(settings.classifier, call.tool.toAutoClassifierInput(call.input));
  if (verdict === 'allow') return allow(decided);
  return verdict === 'deny'
    ? {
        behavior: 'deny',
        decided_by: decided,
        reason: 'The classifier of this service does not let it run: do it another way, or tell the user.',
      }
    : null;
}

/**
 * Commands that something holds need no question in the modes where people sit by. Which files a line writes is for the
 * sandbox to hold, as far as the line can be read at all; the settings of a repository it holds as they are, so that those
 * who want to change them are asked for.
 */
function sandboxAllows({ mode, settings, touched }: Matter): boolean {
  if (!settings.autoAllowCommands || (mode !== 'default' && mode !== 'acceptEdits')) return false;
  return (
    touched.items.length > 0 &&
    touched.items.every(
      (item) => item.kind === 'command' && item.reading.understood && !(settings.sandboxed && item.parts.some(writesGitSettings)),
    )
  );
}
