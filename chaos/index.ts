// `npm run chaos`: the service under faults, from a seed. Ends with 1 when a promise did not hold, 2 when it could not be run.
import { writeFile } from 'node:fs/promises';
import { messageOf } from '../src/contract/index.ts';
import { HELP, readOptions, type ChaosOptions } from './options.ts';
import { reportText } from './report.ts';
import { runChaos } from './run-chaos.ts';

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  return 2;
});

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options !== null) return run(options);
  process.stdout.write(HELP);
  return 0;
}

async function run(options: ChaosOptions): Promise<number> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort(new Error('The run was interrupted.'));
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  try {
    process.stderr.write(`seed ${options.seed}\n`);
    const report = await runChaos({ options, signal: stop.signal, tell: (line) => process.stderr.write(`${line}\n`) });
    process.stdout.write(`${reportText(report)}\n`);
    if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
    return report.violated === 0 ? 0 : 1;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}
