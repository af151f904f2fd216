// Decides about one call: what forbids comes first, then what must be asked, then what allows; what is left is asked.
//   deny:  a hook, a rule, a place outside the session's directories, the tool itself, the mode `plan`
//   ask:   a hook, a rule, the tool itself, a removal of everything, a protected file
//   allow: a hook, the mode, the sandbox, rules
// Each looks at the same view of the call. Nothing is kept from one call to the next.
import { realpathSync } from 'node:fs';
import type { JudgedCall, Judgement, PermissionContext, Policy } from '../contract/index.ts';
import { allowing } from './allowing.ts';
import { asking } from './asking.ts';
import { denying } from './denying.ts';
import { readGrants } from './rules/grants.ts';
import type { Matter, Settings } from './matter.ts';
import { parseBoth, type BothRules } from './rules/parse-rules.ts';
import { scopeOf } from './paths/place.ts';
import { suggestRules } from './rules/suggest-rules.ts';
import { touchedBy } from './touched/touched.ts';

export interface PolicyOptions extends Omit<Settings, 'deny' | 'ask' | 'allow' | 'source'>, BothRules {}

/** A rule that forbids and cannot be read holds at its widest; `parseRules` tells which those are. */
export function createPolicy(options: PolicyOptions): Policy {
  const rules = parseBoth(options);
  const settings: Settings = {
    ...options,
    home: real(options.home),
    dataDir: real(options.dataDir),
    source: options.operator.source,
    deny: rules.filter(({ behavior }) => behavior === 'deny'),
    ask: rules.filter(({ behavior }) => behavior === 'ask'),
    allow: rules.filter(({ behavior }) => behavior === 'allow'),
  };
  const granted = readGrants(options.canonicalName);
  return {
    decide: (call, context) => {
      const { grants } = context.state;
      return decide(call, context, grants === undefined ? settings : { ...settings, allow: [...settings.allow, ...granted(grants)] });
    },
  };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is not there yet, so no link leads elsewhere.
    return path;
  }
}

async function decide(call: JudgedCall, context: PermissionContext, settings: Settings): Promise<Judgement> {
  const { mode } = context.state;
  const judgement = await judge(call, context, settings);
  if (judgement.behavior !== 'ask' || mode !== 'dontAsk') return judgement;
  const reason = `${judgement.reason ?? 'It needs an approval.'} This session (mode dontAsk) asks nobody: do without it, or tell the user.`;
  return { behavior: 'deny', decided_by: 'mode dontAsk', reason, ...(judgement.rule !== undefined && { rule: judgement.rule }) };
}

async function judge(call: JudgedCall, context: PermissionContext, settings: Settings): Promise<Judgement> {
  const first = await look(call, context, settings);
  const own = await call.tool.checkPermissions(call.input, context);
  const matters = [first];
  const changed = own.behavior === 'allow' && own.input !== call.input ? { input: own.input } : {};
  if ('input' in changed) {
    // A tool may want another input: then that is what has to be judged, and what was asked for as well.
    matters.push(await look({ ...call, ...changed, readOnly: saysYes(call.tool.isReadOnly(changed.input)) }, context, settings));
  }
  for (const matter of matters) {
    const judgement = denying(matter, own);
    if (judgement !== null) return judgement;
  }
  for (const matter of matters) {
    const judgement = await asking(matter, own);
    if (judgement !== null) return judgement;
  }
  const matter = matters.at(-1) ?? first;
  const judgement = await allowing(matter);
  if (judgement !== null) return { ...judgement, ...(judgement.behavior === 'allow' && changed) };
  return {
    behavior: 'ask',
    decided_by: `mode ${matter.mode}`,
    reason: unallowed(matter),
    suggestions: suggestRules(matter.touched, matter.scope),
  };
}

/** A promise is no yes. */
function saysYes(answer: unknown): boolean {
  return answer === true;
}

async function look(call: JudgedCall, context: PermissionContext, settings: Settings): Promise<Matter> {
  const { commands, realPath, deny, ask } = settings;
  const scope = scopeOf(context, settings);
  const { mode } = context.state;
  const namesFiles = [...deny, ...ask].some(({ form, path }) => path !== undefined || form === 'write');
  const touched = await touchedBy(call, context, {
    commands,
    realPath,
    scope,
    filesOfCommands: namesFiles || mode !== 'bypassPermissions',
  });
  return { call, mode, scope, touched, settings };
}

function unallowed({ call, touched }: Matter): string {
  const line = touched.items.find((item) => item.kind === 'command' && !item.reading.understood);
  if (line?.kind === 'command' && !line.reading.understood) return `The line ${line.reading.reason}, so that no rule can allow it.`;
  return `No rule allows this call of ${call.tool.name}.`;
}
