// Language servers in the sandbox of their session, as the service joins them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { HeldBy } from '../../src/composition/commands.ts';
import { joinLanguageServers } from '../../src/composition/language-servers.ts';
import { LanguageServerSettings } from '../../src/language-servers/settings.ts';
import type { SessionAbout } from '../../src/sessions/session-parts.ts';
import { SessionOptions, type SessionSettings } from '../../src/sessions/settings/session-options.ts';
import { commands, processesWith, profileFor, workingBubblewrap, type Commands } from '../sandbox/commands.ts';
import { TYPESCRIPT } from './servers.ts';

/** What an operator names in `sandbox.readable`. */
const READABLE = [resolve(fileURLToPath(import.meta.resolve('typescript-classic/package.json')), '../..'), dirname(process.execPath)];
const SETTINGS = SessionOptions.parse({});

async function joined(made: Commands, held: HeldBy, program: object = {}) {
  const { directory, home } = made;
  const session = { id: 'ses_test', owner: 'owner', place: { workspace: directory, home } } as SessionAbout;
  const server = { ...TYPESCRIPT, ...program, env: { TEST_MARK: made.data } };
  const reports: string[] = [];
  const { languageServersFor } = joinLanguageServers({
    servers: LanguageServerSettings.parse({ typescript: server }),
    sandboxFor: () => held,
    report: (what) => void reports.push(what),
  });
  const served: SessionAbout & { settings: SessionSettings } = { ...session, settings: SETTINGS };
  return { servers: languageServersFor(served), reports, served };
}

const CODE = "import { secret } from './denied/secret';\nexport const one: string = secret;\n";

async function project({ directory }: Commands): Promise<{ path: string; text: string; signal: AbortSignal }> {
  await mkdir(join(directory, 'denied'));
  await writeFile(join(directory, 'denied', 'secret.ts'), "export const secret = 'hidden value' as const;\n");
  const path = join(directory, 'a.ts');
  await writeFile(path, CODE);
  return { path, text: CODE, signal: new AbortController().signal };
}

test('A language server works in the sandbox of its session, and sees nothing of what is denied to it', async (t) => {
  const made = await commands(t, { sandbox: true });
  const file = await project(made);
  const masked = [join(made.directory, 'denied')];
  const profile = () => ({ ...profileFor(made), readable: READABLE, masked });
  const { servers } = await joined(made, { mode: 'on', options: { bubblewrap: await workingBubblewrap(), profile } });
  t.after(() => servers.close());
  const hover = await servers.ask({ ...file, operation: 'hover', line: 2, character: 14 });
  assert.ok(hover.kind === 'text' && hover.text.includes('const one: string'));
  const secret = await servers.ask({ ...file, operation: 'hover', line: 2, character: 28 });
  assert.ok(secret.kind === 'text' && !secret.text.includes('hidden value'));
  const found = await servers.ask({ ...file, operation: 'definition', line: 2, character: 28 });
  assert.ok(found.kind === 'places' && found.places.every(({ path }) => path === file.path));
  const told = await servers.ask({ ...file, operation: 'diagnostics' });
  assert.ok(
    told.kind === 'diagnostics' && told.diagnostics.some(({ message }) => message.includes("Cannot find module './denied/secret'")),
  );
  assert.ok(processesWith(made.data).length > 0);
  await servers.close();
  await made.allEnded();
  assert.equal(await readFile(file.path, 'utf8'), CODE);
});

test('A language server that runs when the rules change ends, and one that sees by the new ones takes its place', async (t) => {
  const made = await commands(t, { sandbox: true });
  const file = await project(made);
  let masked: string[] = [];
  const profile = () => ({ ...profileFor(made), readable: READABLE, masked });
  const { servers, served } = await joined(made, { mode: 'on', options: { bubblewrap: await workingBubblewrap(), profile } });
  t.after(() => servers.close());
  const question = { ...file, operation: 'hover', line: 2, character: 28 } as const;
  const before = await servers.ask(question);
  assert.ok(before.kind === 'text' && before.text.includes('hidden value'));
  masked = [join(made.directory, 'denied')];
  served.settings = { ...SETTINGS, permissions: { ...SETTINGS.permissions, deny: ['Read(./denied/**)'] } };
  const after = await servers.ask(question);
  assert.ok(after.kind === 'text' && !after.text.includes('hidden value'));
  await servers.close();
  await made.allEnded();
});

test('A language server writes nothing into the workspace, and answers all the same', async (t) => {
  const made = await commands(t, { sandbox: true });
  const file = await project(made);
  const profile = () => ({ ...profileFor(made), readable: READABLE });
  const write = 'echo changed >a.ts; touch made.txt; rm denied/secret.ts; exec "$@"';
  const program = { command: '/bin/bash', args: ['-c', write, 'bash', TYPESCRIPT.command, ...TYPESCRIPT.args] };
  const { servers } = await joined(made, { mode: 'on', options: { bubblewrap: await workingBubblewrap(), profile } }, program);
  t.after(() => servers.close());
  const hover = await servers.ask({ ...file, operation: 'hover', line: 2, character: 28 });
  assert.ok(hover.kind === 'text' && hover.text.includes('hidden value'));
  assert.equal(await readFile(file.path, 'utf8'), CODE);
  assert.deepEqual([existsSync(join(made.directory, 'made.txt')), existsSync(join(made.directory, 'denied/secret.ts'))], [false, true]);
  await servers.close();
  await made.allEnded();
});

test('Where there is no sandbox, none is started, with the reason', async (t) => {
  const made = await commands(t);
  const file = await project(made);
  const { servers, reports } = await joined(made, { mode: 'off', reason: 'The session wants none.' });
  t.after(() => servers.close());
  await assert.rejects(
    servers.ask({ ...file, operation: 'hover', line: 2, character: 14 }),
    /The language server typescript gives no answer\. It would have to run in the sandbox, and there is none: The session wants none\./,
  );
  assert.match(reports.join(), /\(session ses_test\)$/);
});
