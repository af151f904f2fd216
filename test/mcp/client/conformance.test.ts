// The public conformance suite, for the client.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SUITE = join(dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))), 'dist/index.js');
const CLIENT = fileURLToPath(new URL('../../support/mcp-conformance-client.ts', import.meta.url));
const SCENARIOS = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'];
/** What the client does not do, so that the suite's scenarios for it are left out. */
const LEFT_OUT = [
  { scenarios: /^auth\//, why: 'servers are authorised by headers that an operator or a session sets, never by a browser' },
];

async function suite(...args: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-conformance-'));
  try {
    const { stdout, stderr } = await run(process.execPath, [SUITE, ...args], {
      cwd: directory,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    });
    return stdout + stderr;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

describe('the client conforms to', () => {
  for (const scenario of SCENARIOS) {
    test(`the scenario ${scenario}`, async () => {
      const said = await suite('client', '--command', `${process.execPath} ${CLIENT}`, '--scenario', scenario);
      assert.match(said, /Passed: (\d+)\/\1, 0 failed, 0 warnings/);
    });
  }

  test('every scenario of the suite that is for what it does', async () => {
    const [, clients = ''] = (await suite('list')).split('Client scenarios');
    const names = [...clients.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
    assert.ok(names.length > SCENARIOS.length);
    const left = names.filter((name) => !LEFT_OUT.some(({ scenarios }) => scenarios.test(name)));
    assert.deepEqual(left.toSorted(), SCENARIOS.toSorted());
  });
});
