// Hooks as sessions use them: the operator's from the config file, the session's own from its options.
import { late, Problem, type Fetch, type Hooks, type PermissionContext, type Tool, type Report } from '../contract/index.ts';
import { observableInput } from '../engine/prepare/observable.ts';
import { prepare } from '../engine/prepare/prepare.ts';
import { createHooks } from '../hooks/create-hooks.ts';
import { HookSettingsError, readHooks, type HookTable } from '../hooks/hook-table.ts';
import type { RunHookCommand } from '../hooks/ports.ts';
import type { SessionAbout } from '../sessions/session-parts.ts';
import type { SessionSettings } from '../sessions/settings/session-options.ts';
import { createCatalog } from '../toolbox/catalog.ts';
import type { Rules } from './rules.ts';

export interface HookOptions {
  readonly rules: Pick<Rules, 'canonicalName' | 'checkRule' | 'matches'>;
  readonly operator: HookTable;
  /** The environment of the service, of which hooks get what is harmless. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The guarded way out, for addresses that come from a session. */
  readonly guardedFetch: Fetch;
  readonly report: Report;
}

export interface SessionHooks {
  /** @throws Problem `invalid-request` for hooks that cannot be read or cannot run here */
  readonly check: (settings: SessionSettings) => void;
  readonly hooksFor: (settings: SessionSettings, session: SessionAbout) => Hooks;
}

export function joinHooks({ rules, operator, environment, guardedFetch, report }: HookOptions): SessionHooks {
  const runCommand = commandRunner(environment);
  const sessionHooks = ({ hooks = {} }: SessionSettings): HookTable => readHooks(hooks, { source: 'session', checkRule: rules.checkRule });
  return {
    check(settings) {
      try {
        assertHttp(sessionHooks(settings));
      } catch (error) {
        if (!(error instanceof HookSettingsError)) throw error;
        const issues = [{ path: `hooks.${error.path}`, message: error.message }];
        throw new Problem('invalid-request', 'The hooks of the session cannot be read; see errors.', { issues });
      }
    },
    hooksFor: (settings) =>
      createHooks({
        operator,
        session: sessionHooks(settings),
        canonicalName: rules.canonicalName,
        matchesRule: rules.matches,
        observe: observed,
        commandFor: (source) => (source === 'operator' ? runCommand : null),
        fetchFor: (source) => (source === 'operator' ? fetch : guardedFetch),
        variables: environment,
        report,
      }),
  };
}

/** Loaded when the first hook runs a command. */
function commandRunner(environment: HookOptions['environment']): RunHookCommand {
  const runner = late(async () => (await import('../hooks/run-command.ts')).createHookCommandRunner(environment));
  return async (command) => (await runner.get())(command);
}

/** @throws HookSettingsError */
function assertHttp(table: HookTable): void {
  for (const [event, hooks] of Object.entries(table)) {
    if (hooks?.some(({ handler }) => handler.type === 'command')) {
      throw new HookSettingsError(event, 'A session may have http hooks only: commands are for the operator.');
    }
  }
}

function observed(tool: Tool, input: unknown, context: PermissionContext): unknown {
  const call = prepare({ id: '', name: tool.name, input }, createCatalog([tool]));
  if (call.kind === 'refused') throw new Error(call.message);
  return observableInput(tool, call.input, context);
}
