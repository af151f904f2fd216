// Runs one line in a sandbox as whoever this process is, and prints what became of it as JSON.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommandRunner } from '../../../src/sandbox/command-runner.ts';
import { detectSandbox } from '../../../src/sandbox/enclosure/detect-sandbox.ts';
import { sandboxed } from '../../../src/sandbox/enclosure/sandboxed.ts';
import { ENV, profileFor } from '../commands.ts';

const [command = '', processes = ''] = process.argv.slice(2);
const data = realpathSync(mkdtempSync(join(tmpdir(), 'toolexec-runner-')));
const places = { data, directory: join(data, 'workspace'), home: join(data, 'home'), tempDir: join(data, 'tmp') };
mkdirSync(places.directory);
const detected = await detectSandbox(join(data, 'system'));
if (!detected.works) throw new Error(detected.reason);
const plain = startCommandRunner({ helpers: 1, killGraceMs: 100 });
const profile = profileFor(places);
const limits = { ...profile.limits, processes: Number(processes) };
const runner = sandboxed(plain, { bubblewrap: detected.bubblewrap, profile: () => ({ ...profile, limits }) });
const outputFile = join(data, 'output');
const env = { ...ENV, TEST_MARK: data };
const limit = { timeoutMs: 3000, maxOutputBytes: 1_000_000, signal: new AbortController().signal };
const result = await runner.run({ command, env, outputFile, cwd: places.directory, ...limit });
const output = readFileSync(outputFile, 'utf8');
await plain.close();
rmSync(data, { recursive: true, force: true });
console.log(JSON.stringify({ ...result, output, mark: data }));
