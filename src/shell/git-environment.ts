// A repository's own configuration can make git start programs even in commands that only read. These settings, which win
// over the configuration, turn off all of that but what has a name of its own: see git-preflight.ts.

const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.sshCommand', '/bin/false'],
  ['core.alternateRefsCommand', '/bin/true'],
  ['core.attributesFile', '/dev/null'],
  ['safe.bareRepository', 'explicit'],
  ['log.showSignature', 'false'],
  ['gpg.program', '/bin/false'],
  ['gpg.openpgp.program', '/bin/false'],
  ['gpg.x509.program', '/bin/false'],
  ['gpg.ssh.program', '/bin/false'],
  ['protocol.allow', 'never'],
  ['credential.helper', ''],
  // `git diff` would otherwise rewrite the index, whatever GIT_OPTIONAL_LOCKS says.
  ['diff.autoRefreshIndex', 'false'],
  // In a submodule git would work by that one's own configuration.
  ['diff.ignoreSubmodules', 'dirty'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
];

/** The variables that a line with git needs to only read. They go over whatever else the environment has. */
export const READ_ONLY_GIT_ENVIRONMENT: Readonly<Record<string, string>> = Object.freeze({
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
});
