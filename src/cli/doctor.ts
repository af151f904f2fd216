// `toolexec doctor`: whether this machine and these settings are fit for the service, and how to mend what is not.
import { parseArgs, styleText } from 'node:util';
import { operatorSettings } from '../composition/operator-settings.ts';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { checkMachine } from './check-machine.ts';
import { checkStore } from './check-store.ts';
import type { Finding } from './finding.ts';

/** @returns the exit code: 1 when something fails. @throws UsageError */
export async function doctor(argv: string[]): Promise<number> {
  const { values } = parseArgs({ args: argv, options: { json: { type: 'boolean', default: false } } });
  const findings = await examine();
  const fails = findings.some(({ state }) => state === 'fail');
  process.stdout.write(values.json ? `${JSON.stringify({ ok: !fails, checks: findings }, null, 2)}\n` : findings.map(draw).join(''));
  return fails ? 1 : 0;
}

async function examine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(process.env);
    operatorSettings(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const settings: Finding = { name: 'settings', state: 'fail', detail: error.message, fix: 'Change that setting, and run this again.' };
    return [...(await checkMachine(undefined)), settings];
  }
  return [...(await checkMachine(config)), checkSettings(config), checkKeys(config), ...(await checkStore(config))];
}

function checkSettings({ unknownVariables }: Config): Finding {
  if (unknownVariables.length === 0) return { name: 'settings', state: 'ok', detail: 'All can be read.' };
  const detail = `These variables are not settings: ${unknownVariables.join(', ')}.`;
  return { name: 'settings', state: 'warn', detail, fix: 'Look for a typing error, or remove them.' };
}

/** A host that others reach without keys is refused with the settings. */
function checkKeys({ keys, host }: Config): Finding {
  const name = 'keys';
  if (keys.length > 0) return { name, state: 'ok', detail: `${keys.length} may use the service, which listens on ${host}.` };
  const detail = `None are set: whoever can reach ${host}, which every program of this machine can, may use the service.`;
  return { name, state: 'warn', detail, fix: 'Set TOOLEXEC_API_KEYS to name:key where others use this machine too.' };
}

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;

function draw({ name, state, detail, fix }: Finding): string {
  const [colour, mark] = MARKS[state];
  const head = styleText(colour, `${mark} ${state.padEnd(4)}`, { stream: process.stdout });
  return `${head} ${name.padEnd(16)} ${detail}\n${fix === undefined ? '' : `${' '.repeat(24)}→ ${fix}\n`}`;
}
