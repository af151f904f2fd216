// A service that is killed: runs a line as a command that may be taken up again, or as one that may not, and tells when it prints.
// Its arguments are one JSON object.
import type { CommandRequest } from '../../../src/contract/index.ts';
import { startCommandRunner, type CommandRunnerOptions } from '../../../src/sandbox/command-runner.ts';
import { detectSandbox } from '../../../src/sandbox/enclosure/detect-sandbox.ts';
import { sandboxed } from '../../../src/sandbox/enclosure/sandboxed.ts';
import { profileFor, type Places } from '../commands.ts';

interface Told {
  readonly options: CommandRunnerOptions;
  /** Where the sandbox keeps its files; absent: there is none. */
  readonly system?: string;
  readonly places: Places;
  readonly request: Omit<CommandRequest, 'signal'>;
}

const { options, system, places, request } = JSON.parse(process.argv[2] ?? '') as Told;
const plain = startCommandRunner({ helpers: 1, ...options });
const found = system === undefined ? undefined : await detectSandbox(system);
if (found?.works === false) throw new Error(found.reason);
const runner = found === undefined ? plain : sandboxed(plain, { bubblewrap: found.bubblewrap, profile: () => profileFor(places) });
const { signal } = new AbortController();
await runner.run({ ...request, signal, onOutput: ({ text }) => console.log(JSON.stringify(text)) });
console.log('ended');
