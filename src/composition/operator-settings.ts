// What an operator has written down for the service to apply, read before any of it is opened: the start and the doctor judge alike.
import type { z } from 'zod';
import type { Config } from '../config.ts';
import { ConfigError } from '../config/config-error.ts';
import { messageOf } from '../contract/index.ts';
import { HookSettingsError, readHooks, type HookTable } from '../hooks/hook-table.ts';
import { LanguageServerSettings } from '../language-servers/settings.ts';
import type { NamedServer } from '../mcp/client/hub.ts';
import { operatorServersSchema } from '../mcp/client/server-settings.ts';
import { parseEgress, type EgressRules } from '../network/egress.ts';
import { parseRules, type RuleTexts } from '../permissions/rules/parse-rules.ts';
import { mayChange } from '../sessions/settings/session-options.ts';

export interface OperatorSettings {
  readonly permissions: RuleTexts;
  readonly hooks: HookTable;
  readonly mcpServers: readonly NamedServer[];
  readonly languageServers: LanguageServerSettings;
  /** Exemptions from the block on private addresses. */
  readonly egress: EgressRules;
}

/** @throws ConfigError with one line that names what cannot be read */
export function operatorSettings(config: Config): OperatorSettings {
  const servers = parsed('mcp_servers', operatorServersSchema({ mayChange }), config.mcpServers);
  return {
    permissions: rulesOf(config),
    hooks: hooksOf(config.hooks),
    mcpServers: Object.entries(servers).map(([name, settings]) => ({ name, settings, origin: 'operator' })),
    languageServers: parsed('language_servers', LanguageServerSettings, config.languageServers),
    egress: egressOf(config.egressAllow),
  };
}

/** The operator's rules, and that nobody reads the files that hold the keys and settings of the service. */
function rulesOf({ permissions, secretFiles }: Config): RuleTexts {
  const hidden = secretFiles.map((path) => `Read(/${path.replaceAll(/[\\*?[\]!()]/g, '\\$&')})`);
  const texts = { ...permissions, deny: [...permissions.deny, ...hidden] };
  const [issue] = issuesOf(texts);
  if (issue !== undefined) throw fault('permissions', issue);
  return texts;
}

/** What a name stands for does not decide whether a rule can be read. */
function issuesOf(texts: RuleTexts) {
  return parseRules(texts, { owner: 'operator', canonicalName: (name) => name }).issues;
}

function hooksOf(hooks: unknown): HookTable {
  try {
    return readHooks(hooks, { source: 'operator', checkRule: (rule) => issuesOf({ allow: [], ask: [rule], deny: [] })[0]?.message });
  } catch (error) {
    throw error instanceof HookSettingsError ? fault('hooks', error) : error;
  }
}

function egressOf(entries: readonly string[]): EgressRules {
  try {
    return parseEgress(entries);
  } catch (error) {
    throw new ConfigError(`TOOLEXEC_EGRESS_ALLOW: ${messageOf(error)}`, { cause: error });
  }
}

function parsed<Schema extends z.ZodType>(key: string, schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  // What is wrong with a key stands one level deeper.
  const message = (issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message) ?? 'they cannot be read';
  throw fault(key, { path: issue?.path.join('.') ?? '', message });
}

/** @param key of the config file */
function fault(key: string, { path, message }: { readonly path: string; readonly message: string }): ConfigError {
  return new ConfigError(`TOOLEXEC_CONFIG, ${key}, ${path}: ${message}`);
}
