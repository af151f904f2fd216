// Occasion → hooks that match → all at once → one verdict. What a session's hooks make of a call's input is shown to the
// operator's hooks once more, so that no session gets past them by changing what they have seen.
import { messageOf, type HookOccasion, type Hooks, type HookVerdict, type PermissionContext } from '../contract/index.ts';
import { hookInput } from './hook-input.ts';
import type { Hook, HookTable } from './hook-table.ts';
import { mergeVerdicts, tightened, withoutConsent } from './merge-verdicts.ts';
import type { HookPorts } from './ports.ts';
import { SILENCE } from './read-answer.ts';
import { GATES, runHook } from './run-hook.ts';

export interface HooksOptions extends HookPorts {
  /** From the operator's settings: asked first, and able to allow. */
  readonly operator: HookTable;
  /** From a session's settings: after the operator's, and only stricter. */
  readonly session: HookTable;
}

/** The hooks of one session. */
export function createHooks(options: HooksOptions): Hooks {
  const { operator, session } = options;
  return {
    listens: (event) => operator[event] !== undefined || session[event] !== undefined,
    async run(occasion, context, signal) {
      try {
        return await hear({ occasion, context, signal }, options);
      } catch (error) {
        options.report(`Hooks of ${occasion.event} failed`, error);
        if (!GATES.has(occasion.event)) return SILENCE;
        return { ...SILENCE, behavior: 'deny', reason: 'the hooks that must agree could not be asked.' };
      }
    },
  };
}

interface Hearing {
  readonly occasion: HookOccasion;
  readonly context: PermissionContext;
  readonly signal: AbortSignal;
}

async function hear(hearing: Hearing, options: HooksOptions): Promise<HookVerdict> {
  const { event } = hearing.occasion;
  const [first, ofSession] = await Promise.all([consult(options.operator, hearing, options), consult(options.session, hearing, options)]);
  const strict = ofSession.map((verdict) => tightened(verdict, event));
  const merged = mergeVerdicts([...first, ...strict]);
  const { updatedInput } = mergeVerdicts(strict);
  if (updatedInput === undefined || merged.behavior === 'deny' || merged.stop !== undefined) return merged;
  const second = await hearAgain(hearing, updatedInput, options);
  return mergeVerdicts([...first.map(withoutConsent), ...strict, ...second]);
}

/** The operator's hooks on an input that a session's hook has put in place of the call's. */
async function hearAgain(hearing: Hearing, input: unknown, options: HooksOptions): Promise<readonly HookVerdict[]> {
  const { occasion, context } = hearing;
  if (occasion.event !== 'PreToolUse' || options.operator.PreToolUse === undefined) return [];
  try {
    const call = { ...occasion.call, input: options.observe(occasion.call.tool, input, context) };
    return await consult(options.operator, { ...hearing, occasion: { ...occasion, call } }, options);
  } catch (error) {
    const why = messageOf(error);
    return [{ ...SILENCE, behavior: 'deny', reason: `a hook of the session changed the input to one that is not valid: ${why}` }];
  }
}

/** Runs what matches, identical handlers once. @returns verdicts in config order */
async function consult(table: HookTable, { occasion, context, signal }: Hearing, ports: HookPorts): Promise<readonly HookVerdict[]> {
  const { event } = occasion;
  const hooks = table[event] ?? [];
  if (hooks.length === 0) return [];
  const named = namesOf(occasion, ports);
  const candidates = hooks.filter(({ matcher }) => named === null || matcher.matches(named));
  const applies = await Promise.all(candidates.map((hook) => rulesMatch(hook, { occasion, context, signal }, ports)));
  const matching = new Map<string, Hook>();
  for (const [index, hook] of candidates.entries()) {
    if (applies[index] === true) matching.set(hook.identity, hook);
  }
  if (matching.size === 0) return [];
  const inquiry = { event, input: hookInput(occasion, context), trace: occasion.trace, context, signal };
  return Promise.all([...matching.values()].map((hook) => runHook(hook, inquiry, ports)));
}

/** What matchers see of an occasion; `null` when there is nothing to match. */
function namesOf(occasion: HookOccasion, { canonicalName }: HookPorts): readonly string[] | null {
  if ('call' in occasion) {
    const { name, aliases } = occasion.call.tool;
    return [name, ...aliases.filter((alias) => canonicalName(alias) === name)];
  }
  switch (occasion.event) {
    case 'SessionStart':
      return [occasion.source];
    case 'SessionEnd':
      return [occasion.reason];
    case 'PostToolBatch':
      return null;
  }
}

async function rulesMatch({ rules, label }: Hook, { occasion, context }: Hearing, ports: HookPorts): Promise<boolean> {
  if (rules.length === 0 || !('call' in occasion)) return true;
  const matches = await Promise.all(
    rules.map(async (rule) => {
      try {
        return await ports.matchesRule(rule, occasion.call, context);
      } catch (error) {
        ports.report(`The rule of hook ${label} could not be checked, so that the hook runs`, error);
        return true;
      }
    }),
  );
  return matches.every(Boolean);
}
