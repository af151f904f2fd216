// What a client may set of a session, as it travels; defaults make the settings a session runs with.
import { z } from 'zod';
import { CustomTools } from '../../custom/definition.ts';
import { sessionServersSchema } from '../../mcp/client/server-settings.ts';
import { PERMISSION_MODES } from '../../contract/index.ts';
import { openRecord } from './open-record.ts';

const DAY_MS = 86_400_000;
/** Variables that change how programs load or how calls are judged: a session may not set them. */
const FORBIDDEN_ENV = new RegExp(
  `^(${[
    // how bash finds, parses and runs
    'PATH|HOME|SHELL|PWD|OLDPWD|IFS|ENV|CDPATH|BASH_.*|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|EXECIGNORE|GLOBIGNORE|GLOBSORT|INPUTRC',
    'POSIXLY_CORRECT|POSIX_PEDANTIC|_POSIX2_VERSION|TEXTDOMAIN(DIR)?',
    // what the loader, libc and other libraries load or write
    'LD_.*|DYLD_.*|GCONV_PATH|GETCONF_DIR|GLIBC_TUNABLES|MALLOC_.*|LOCPATH|MUSL_LOCPATH|NLSPATH|NIS_PATH|TZDIR',
    'HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|RESOLV_HOST_CONF|TERMINFO(_DIRS)?|TERMCAP|TERMPATH|KRB5_.*|OPENSSL_.*|SSL_.*|SSLKEYLOGFILE',
    // options and files that programs take beside their arguments
    'GIT_.*|GREP_OPTIONS|RIPGREP_CONFIG_PATH|TAR_OPTIONS|MAGIC|LESS|LESS(OPEN|CLOSE|KEY.*|HISTFILE|SECURE)|MANPAGER|MANOPT|PAGER|EDITOR|VISUAL|BROWSER',
    'SSH_ASKPASS|SUDO_ASKPASS|GNUPGHOME|CURL_HOME|WGETRC|XDG_.*|TMPDIR|TMP|TEMP',
    // what interpreters load at their start
    'NODE_(OPTIONS|PATH|REPL_EXTERNAL_MODULE|EXTRA_CA_CERTS|V8_COVERAGE|REDIRECT_WARNINGS)|ELECTRON_RUN_AS_NODE|npm_config_.*|PYTHON.*|PERL.*|RUBY.*|LUA_.*|AWKPATH|AWKLIBPATH|CLASSPATH|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS',
    'RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|PHPRC|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|R_PROFILE(_USER)?|TCLLIBPATH|FPATH|HISTFILE',
  ].join('|')})$`,
);

/** True of a variable that only tells programs what to do, not what they are. */
export function mayChange(variable: string): boolean {
  return !FORBIDDEN_ENV.test(variable);
}

/** Rules in one list of a session. */
export const MAX_RULES = 500;
/** Texts of permission rules. Whether each is one is judged by who applies them. */
const Rules = z
  .array(z.string().min(1).max(1_000))
  .max(MAX_RULES, { error: `At most ${MAX_RULES} rules in a list.` })
  .default([]);

const Permissions = z.strictObject({
  mode: z.enum(PERMISSION_MODES).default('default'),
  allow: Rules,
  ask: Rules,
  deny: Rules,
  additional_dirs: z.array(z.string().min(1).max(4096)).max(20).default([]),
  ask_timeout_ms: z.int().min(0).max(DAY_MS).default(300_000),
});

const Execution = z.strictObject({
  max_concurrency: z.int().min(1).max(1000).default(10),
  schedule: z.enum(['partition', 'dependencies']).default('partition'),
  on_tool_error: z.enum(['cancel_siblings', 'continue']).default('cancel_siblings'),
  on_disconnect: z.enum(['continue', 'abort']).default('continue'),
  call_ids: z.enum(['unique', 'per_message']).default('unique'),
  input_idle_ms: z.int().min(100).max(DAY_MS).default(60_000),
});

const Tools = z.strictObject({
  include: z.array(z.string().max(200)).max(1000).nullable().default(null),
  exclude: z.array(z.string().max(200)).max(1000).default([]),
  search: z.enum(['on', 'off', 'auto']).default('auto'),
  custom: CustomTools.default([]),
});

const Env = openRecord(
  z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'A variable name has letters, digits and _ only.' })
    .max(200),
  z
    .string()
    .max(32_768)
    .regex(/^[^\0]*$/, { error: 'A value may not hold a NUL.' }),
)
  .refine((env) => Object.keys(env).length <= 200 && JSON.stringify(env).length <= 65_536, {
    error: 'At most 200 variables, and 64 KiB in all.',
  })
  .superRefine((env, context) => {
    for (const name of Object.keys(env)) {
      if (!mayChange(name))
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `${name} changes how programs load or are judged: a session may not set it.`,
        });
    }
  });

const Metadata = openRecord(z.string().max(200), z.unknown()).refine((value) => JSON.stringify(value).length <= 16_384, {
  error: 'At most 16 KiB of metadata.',
});

/** Body of `POST /v1/sessions`. Unknown keys are refused, since they would be silently lost. */
export const SessionOptions = z.strictObject({
  workspace: z.strictObject({ path: z.string().min(1).max(4096) }).optional(),
  permissions: Permissions.prefault({}),
  sandbox: z
    .strictObject({
      mode: z.enum(['off', 'auto', 'required']).optional(),
      auto_allow_bash: z.boolean().default(true),
      network: z
        .strictObject({
          allowed_domains: z.array(z.string().min(1).max(253)).max(200).default([]),
        })
        .prefault({}),
    })
    .prefault({}),
  tools: Tools.prefault({}),
  mcp_servers: sessionServersSchema({ mayChange }).default({}),
  execution: Execution.prefault({}),
  hooks: z.record(z.string().max(100), z.unknown()).optional(),
  env: Env.prefault({}),
  metadata: Metadata.prefault({}),
  ttl_ms: z
    .int()
    .min(1000)
    .max(30 * DAY_MS)
    .default(DAY_MS),
});

/** Settings with every default filled in. */
export type SessionSettings = z.output<typeof SessionOptions>;

/** Keys that `PATCH` may merge into (RFC 7396). */
export const PATCHABLE = ['permissions', 'tools', 'execution', 'env', 'metadata', 'ttl_ms'] as const;
