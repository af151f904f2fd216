import type { Policy } from '../../src/contract/index.ts';
import type { RuleTexts } from '../../src/permissions/rules/parse-rules.ts';
import { createPolicy, type PolicyOptions } from '../../src/permissions/policy.ts';
import { createCommandReader } from '../../src/shell/command-parts.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { realPath } from '../../src/workspace/resolve-real.ts';

export const NO_RULES: RuleTexts = { allow: [], ask: [], deny: [] };

/** The policy as the service makes it, without a sandbox unless said otherwise. */
export function testPolicy(options: Partial<PolicyOptions>): Policy {
  return createPolicy({
    operator: NO_RULES,
    session: NO_RULES,
    canonicalName: (name) => name,
    commands: createCommandReader(isReadOnlyCommand),
    realPath,
    sandboxed: false,
    autoAllowCommands: false,
    home: '/home/nobody-here',
    dataDir: '/var/lib/nobody-here',
    ...options,
  });
}
