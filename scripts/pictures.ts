// Makes the pictures of the README: the real console in a browser, on a real server that has run the message of the demo.
// Server, browser and files are gone when it ends.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { demoCalls, streamEvents } from './demo-message.ts';
import { makeRoot, makeWorkspace, removeRoot, startServer } from './demo-server.ts';
import { playMessage } from './demo-turn.ts';

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));
const SIZE = { width: 1_400, height: 720 };
const CHANGED_FILE = 'src/engine/schedule/partition.ts';
/** A second message, in which not all goes well. */
const SECOND = [
  { name: 'Grep', input: { pattern: 'export function', output_mode: 'count' } },
  { name: 'Read', input: { file_path: 'src/engine/missing.ts' } },
  { name: 'Bash', input: { command: 'git diff --stat; sleep 0.2' } },
  { name: 'Bash', input: { command: 'git push --force' } },
  { name: 'Glob', input: { pattern: 'src/**/*.ts' } },
].map((call, index) => ({ ...call, id: `toolu_second_${index + 1}`, about: '' }));

const signal = AbortSignal.timeout(120_000);
await using made = new AsyncDisposableStack();
const root = made.adopt(await makeRoot(), removeRoot);
const workspace = await makeWorkspace(root, signal);
const server = await startServer({ root, workspace }, signal);
made.defer(() => server.stop());
const session = await createSession();
const [firstLine = ''] = (await readFile(join(workspace, CHANGED_FILE), 'utf8')).split('\n');
const calls = demoCalls(CHANGED_FILE, firstLine);
const edit = calls.findIndex(({ name }) => name === 'Edit');
const socket = `${server.url.replace('http', 'ws')}/v1/sessions/${session}/stream`;
await playMessage(socket, streamEvents(calls), signal);
await playMessage(socket, streamEvents(SECOND), signal);
const browser = made.adopt(await launch(), (opened) => opened.close());
await picture(browser, 'light', 'console.png');
await picture(browser, 'dark', 'console-dark.png');

async function createSession(): Promise<string> {
  const reply = await fetch(`${server.url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      workspace: { path: workspace },
      permissions: { mode: 'bypassPermissions', deny: ['Bash(git push:*)'] },
      metadata: { name: 'The demo' },
    }),
    signal,
  });
  if (!reply.ok) throw new Error(`The server made no session: ${await reply.text()}`);
  return ((await reply.json()) as { id: string }).id;
}

function launch(): Promise<Browser> {
  // In a container root has no name space to make a sandbox with.
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

async function picture(opened: Browser, colorScheme: 'light' | 'dark', file: string): Promise<void> {
  const page = await opened.newPage({ viewport: SIZE, colorScheme, reducedMotion: 'reduce' });
  await page.goto(`${server.url}/console/sessions/${session}`);
  await page.getByRole('option', { name: `Turn 1, call ${edit + 1}:` }).click();
  await page.getByRole('option', { name: 'Turn 2, call 5:' }).waitFor();
  await page.getByRole('contentinfo').getByText('Live.').waitFor();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(DOCS, file) });
  await page.close();
  console.log(`docs/${file}`);
}
