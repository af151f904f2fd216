// What each command is for, as it tells itself.

export const OVERVIEW = `toolexec runs the tool calls of AI agents.

Usage: toolexec <command> [options]

  serve     Start the service.
  run       Run the tool calls of one message, and print their results.
  tools     List the tools there are.
  doctor    Look whether this machine and these settings are fit for the service.

  --help, -h       Show this, or the options of a command after its name.
  --version, -v    Show the version.
`;

/** The options that say which service is asked. */
const SERVICE = `  --url <url>          Ask the service at this address, rather than one that is started for this alone.
  --key <key>          The key for it, or @file with the key in it. Without this option that of TOOLEXEC_KEY.
`;

export const HELP: Readonly<Record<string, string>> = {
  serve: `Usage: toolexec serve

Starts the service. It takes its settings from variables (TOOLEXEC_PORT, TOOLEXEC_DATA_DIR, TOOLEXEC_API_KEYS, …) and from the
file that TOOLEXEC_CONFIG names. The first SIGTERM or SIGINT drains it, another one ends it at once.
`,
  run: `Usage: toolexec run <message.json | -> [options]

Runs the tool calls of one assistant message, in any format that the service takes, and prints the reply as JSON: messages to
append to the conversation, and the turn. - reads the message from the standard input. How it goes is told on stderr.

  --workspace <dir>    Where the calls work: this directory unless told otherwise. With --url, a directory over there.
  --mode <mode>        The permission mode: default, acceptEdits, plan, dontAsk, bypassPermissions, auto.
  --allow <rule>       A rule that lets calls run, such as Edit or 'Bash(npm test:*)'. May be repeated.
  --quiet, -q          Tell nothing on stderr.
${SERVICE}
Nobody is asked: a call that would need an approval is denied. Exit code: 0 when every call went well, 1 when one did not, 2
for a wrong use of the command.
`,
  tools: `Usage: toolexec tools [options]

Lists the tools of a session with default options.

  --json               Print them as a model's API takes them.
${SERVICE}`,
  doctor: `Usage: toolexec doctor [options]

Looks whether this machine and these settings are fit for the service, and says how to mend what is not. Exit code: 1 when
something fails.

  --json               Print what was found as JSON.
`,
};
