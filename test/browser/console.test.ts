// The console as people use it: the real page of a real service in a real browser.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { startCuttingProxy } from '../client/cutting-proxy.ts';
import { assistant, call, startServer, type Json, type TestServer } from '../support/server.ts';
import { openConsole, startBrowser, type Console } from './open-console.ts';

/** A command that goes on until there is a file of this name. */
const untilThere = (file: string): string => `touch begun; echo begun; until [ -e ${file} ]; do sleep 0.05; done; echo ended`;

test('the console', { timeout: 200_000 }, async (t) => {
  const browser = await startBrowser(t);
  const server = await startServer(t);
  const open = (session: string, more: { path?: string; width?: number; dark?: boolean } = {}): Promise<Console> =>
    openConsole(t, browser, { url: `${server.url}/console/sessions/${session}${more.path ?? ''}`, ...more });

  await t.test('shows the batches of a message in order, each call as it happens, and its output as it comes', async () => {
    const session = await server.session();
    const { page, calls, call: row, complaints } = await open(session);
    const answered = server.post(session, [
      call('a', 'Glob', { pattern: '*' }),
      call('b', 'Bash', { command: untilThere('go') }),
      call('c', 'Glob', { pattern: '*' }),
    ]);
    await row(/call 2: Bash.*running/).click();
    const chosen = page.getByRole('complementary', { name: 'Call' });
    await chosen.getByText('begun').first().waitFor();
    const cancel = chosen.getByRole('button', { name: 'Cancel this call' });
    assert.equal(await cancel.count(), 1);
    await row(/call 3: Glob.*queued/).waitFor();
    await server.request('PUT', `/v1/sessions/${session}/files/go`, '');
    await row(/call 3: Glob.*result sent/).waitFor();
    assert.equal((await answered).status, 200);
    assert.equal(await cancel.count(), 0);
    assert.deepEqual(
      (await calls()).map((words) => words.replace(/(Bash|Glob) .*Batch/, '$1. Batch').replace(/, (queued|ran) \d+ ms/g, '')),
      [
        'Turn 1, call 1: Glob. Batch 1, concurrent. ok, result sent',
        'Turn 1, call 2: Bash. Batch 2, alone. ok, result sent',
        'Turn 1, call 3: Glob. Batch 3, concurrent. ok, result sent',
      ],
    );
    assert.deepEqual(complaints, []);
  });

  await t.test('lets a call run that a person allows, with the input that they changed', async () => {
    const session = await server.session({ permissions: { mode: 'default' } });
    const { page, call: row, complaints } = await open(session);
    const answered = server.post(session, [call('w', 'Write', { file_path: 'note.txt', content: 'first' })]);
    const ask = page.getByRole('article', { name: 'Write asks for approval' });
    await ask.getByRole('button', { name: 'Edit input' }).click();
    const editor = ask.getByLabel('Input to run with');
    const input = JSON.parse(await editor.inputValue()) as Json;
    await editor.fill('{');
    assert.ok(await ask.getByRole('button', { name: 'Allow with this input' }).isDisabled());
    await editor.fill(JSON.stringify({ ...input, content: 'second' }));
    await ask.getByRole('button', { name: 'Allow with this input' }).click();
    await row(/Write.*ok.*result sent/).waitFor();
    assert.equal(await ask.count(), 0);
    assert.equal((await server.request('GET', `/v1/sessions/${session}/files/note.txt`)).body['text'], 'second');
    await answered;
    assert.deepEqual(complaints, []);
  });

  await t.test('tells the model why a person denied a call, and what they answered to a question', async () => {
    const session = await server.session({ permissions: { mode: 'default' } });
    const { page, call: row } = await open(session);
    const options = ['Left', 'Right'].map((label) => ({ label, description: '' }));
    const questions = [{ question: 'Which way?', header: 'Way', options }];
    const asked = server.post(session, [
      call('w', 'Write', { file_path: 'note.txt', content: 'x' }),
      call('q', 'AskUserQuestion', { questions }),
    ]);
    const ask = page.getByRole('article', { name: 'Write asks for approval' });
    await ask.getByRole('button', { name: 'Deny…' }).click();
    await ask.getByLabel('What the model is told').fill('Not in this directory.');
    await ask.getByRole('button', { name: 'Deny', exact: true }).click();
    await row(/Write.*denied/).waitFor();
    await page.getByLabel('Right').check();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await row(/AskUserQuestion.*result sent/).waitFor();
    const { body } = await asked;
    const { body: turn } = await server.request('GET', `/v1/sessions/${session}/turns/${body['turn'].id}`);
    const [{ content }] = turn['messages'];
    assert.match(content[0].content, /Not in this directory\./);
    assert.match(content[1].content, /Which way\?\n→ Right/);
  });

  await t.test('plans a pasted message, runs it, and takes back what it wrote', async () => {
    const session = await server.session();
    const { page, call: row, tab, complaints } = await open(session, { path: '/run' });
    await page
      .getByLabel('Assistant message')
      .fill(JSON.stringify(assistant([call('w', 'Write', { file_path: 'made.txt', content: 'x' })])));
    await page.getByRole('button', { name: 'Show the plan' }).click();
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText('runs alone').waitFor();
    await plan.getByText('made.txt').first().waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await row(/Write.*result sent/).waitFor();
    await tab('Files');
    await page.getByRole('button', { name: 'made.txt', exact: true }).waitFor();
    await tab('Checkpoints');
    await page.getByRole('button', { name: 'Show what a rewind would change' }).click();
    await page.getByRole('listitem').filter({ hasText: 'remove made.txt' }).last().waitFor();
    assert.equal((await server.request('GET', `/v1/sessions/${session}/files/made.txt`)).status, 200);
    await page.getByRole('button', { name: 'Rewind', exact: true }).click();
    await page.getByText('Done:').waitFor();
    assert.equal((await server.request('GET', `/v1/sessions/${session}/files/made.txt`)).status, 404);
    assert.deepEqual(complaints, []);
  });

  await t.test('keeps what a person wrote when the service refuses it, says why, and lets it run under new ids', async () => {
    const session = await server.session();
    const { page, call: row, tab } = await open(session, { path: '/run' });
    const editor = page.getByLabel('Assistant message');
    assert.equal(await editor.getAttribute('aria-invalid'), 'false');
    const run = page.getByRole('button', { name: 'Run', exact: true });
    const refused = page.getByRole('region', { name: 'Run', exact: true }).getByRole('alert').filter({ hasText: /./ });
    await editor.fill('{"foo":1}');
    await run.click();
    await refused.waitFor();
    assert.equal(await editor.inputValue(), '{"foo":1}');
    await editor.fill(JSON.stringify(assistant([call('used', 'Glob', { pattern: '*' })])));
    await run.click();
    await row(/Turn 1, call 1: Glob.*result sent/).waitFor();
    await tab('Run');
    const changed = (await editor.inputValue()).replace('"*"', '"**"');
    assert.match(changed, /used/);
    await editor.fill(changed);
    await run.click();
    await refused.getByText('used').waitFor();
    assert.equal(await editor.inputValue(), changed);
    await page.getByRole('button', { name: 'New ids' }).click();
    await run.click();
    await row(/Turn 2, call 1: Glob.*result sent/).waitFor();
  });

  await t.test('tells of sessions that are not open and wait for somebody, and leads there', async () => {
    const looked = await server.session();
    const { page, findings } = await open(looked, { width: 390 });
    const options = ['Left', 'Right'].map((label) => ({ label, description: '' }));
    const asking = await server.session({ permissions: { mode: 'default' } });
    void server.post(asking, [call('q', 'AskUserQuestion', { questions: [{ question: 'Which way?', header: 'Way', options }] })]);
    const waits = page.getByRole('status').getByRole('link', { name: '1 session' });
    await waits.waitFor();
    assert.match(await page.title(), /^\(1\) /);
    assert.deepEqual(await findings(), []);
    await waits.click();
    await page.getByLabel('Right').check();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByRole('option', { name: /AskUserQuestion.*result sent/ }).waitFor();
    assert.equal(await waits.count(), 0, 'the open session tells by itself');
  });

  await t.test('names a session as people do, with what waits in it, and shows of an unknown one only that it is none', async () => {
    const session = await server.session({ permissions: { mode: 'default' }, metadata: { name: 'Shopping' } });
    const { page, tab } = await open(session);
    const item = page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: /Shopping/ });
    await page.getByRole('heading', { level: 1, name: 'Shopping' }).waitFor();
    await item.getByText('idle').waitFor();
    void server.post(session, [call('w', 'Write', { file_path: 'note.txt', content: 'x' })]);
    await item.getByText('waits for you').waitFor();
    await page.getByRole('article', { name: 'Write asks for approval' }).getByText('(all files of the workspace)').waitFor();
    await tab('Run');
    await page.getByLabel('Assistant message').fill(JSON.stringify(assistant([call('behind', 'Glob', { pattern: '*' })])));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    // It is behind the turn that waits, and taken all the same.
    await page.getByRole('region', { name: 'Timeline' }).waitFor();
    await page.goto(`${server.url}/console/sessions/ses_of_nobody`);
    await page.getByRole('main').getByRole('alert').filter({ hasText: /./ }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Parts of the session' }).count(), 0);
    assert.equal(await page.getByRole('main').getByRole('button').count(), 0);
  });

  await t.test('stays answerable with thousands of events, of which it draws those in sight', async () => {
    const session = await server.session();
    for (const turn of [1, 2]) {
      const calls = Array.from({ length: 1_000 }, (_, index) => call(`t${turn}c${index}`, 'NoSuchTool'));
      assert.equal((await server.post(session, calls)).status, 200);
    }
    const { page, call: row, tab } = await open(session);
    await row(/Turn 2, call 1000/).waitFor();
    assert.match((await page.getByRole('contentinfo').textContent()) ?? '', /event 6,0\d\d/);
    await page.getByRole('listbox').press('Home');
    await page.getByRole('option', { selected: true, name: /Turn 1, call 1:/ }).waitFor();
    const drawn = async (): Promise<number> => page.evaluate<number>('document.querySelectorAll("*").length');
    assert.ok((await drawn()) < 2_000, `${await drawn()} elements`);
    await tab('Log');
    await page.getByLabel('Search the log').fill('call_finished t2c999');
    await page.getByText('1 of 6,0').waitFor();
    assert.ok((await drawn()) < 2_000, `${await drawn()} elements`);
  });

  await t.test('is read and used without eyes or mouse, in light and in dark', async () => {
    const session = await server.session({ permissions: { mode: 'default' } });
    await server.post(session, [
      call('a', 'Glob', { pattern: '*' }),
      call('b', 'NoSuchTool'),
      call('c', 'Bash', { command: 'echo hi; exit 3' }),
    ]);
    void server.post(session, [call('d', 'Write', { file_path: 'x', content: 'y' })]);
    for (const dark of [false, true]) {
      const { page, tab, findings, complaints } = await open(session, { dark });
      await page.getByRole('article', { name: 'Write asks for approval' }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), dark ? 'dark' : 'light');
      const list = page.getByRole('listbox');
      await list.focus();
      await list.press('ArrowDown');
      await list.press('ArrowDown');
      await page.getByRole('option', { selected: true, name: /call 2: NoSuchTool/ }).waitFor();
      await page.getByRole('complementary', { name: 'Call' }).getByText('unknown tool').first().waitFor();
      assert.deepEqual(await findings(), []);
      await page.keyboard.press('Escape');
      assert.equal(await page.getByRole('complementary', { name: 'Call' }).count(), 0);
      for (const name of dark ? ['Files', 'Log'] : ['Run', 'Settings']) {
        await tab(name);
        await page.getByRole('region', { name, exact: true }).waitFor();
        assert.deepEqual(await findings(), [], name);
      }
      assert.deepEqual(complaints, []);
    }
  });

  await t.test('fits a phone', async () => {
    const session = await server.session({ metadata: { name: 'x'.repeat(80) } });
    await server.post(session, [call('a', 'Bash', { command: `echo ${'y'.repeat(300)}` }), call('b', 'Glob', { pattern: '*' })]);
    const { page, call: row, tab } = await open(session, { width: 360 });
    const width = (): Promise<number> => page.evaluate<number>('document.documentElement.scrollWidth');
    await row(/Bash/).click();
    await page.getByRole('complementary', { name: 'Call' }).waitFor();
    assert.equal(await width(), 360);
    await page.getByRole('button', { name: 'Close' }).click();
    for (const name of ['Run', 'Files', 'Checkpoints', 'Tasks', 'Log', 'Settings']) {
      await tab(name);
      assert.equal(await width(), 360, name);
    }
    const box = await page.getByRole('link', { name: 'Settings', exact: true }).boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, 'the open tab is in sight');
    const head = await page.locator('.session-head').boundingBox();
    assert.ok(head !== null && head.height < 60, 'the head is one line');
    for (const path of ['/console', '/console/new']) {
      await page.goto(server.url + path);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      assert.equal(await width(), 360, path);
    }
  });

  await goesOnAfterRestart(t, browser);
  await asksForKey(t, browser);
});

async function goesOnAfterRestart(parent: TestContext, browser: Browser): Promise<void> {
  await parent.test('goes on by itself after the service has restarted, and says so meanwhile', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const first = await startServer(t, { dataDir });
    const session = await first.session();
    await first.post(session, [call('before', 'Glob', { pattern: '*' })]);
    // The service comes back on another port, behind the same address.
    const proxy = await startCuttingProxy(t, first.url);
    const { page, call: row, calls } = await openConsole(t, browser, { url: `${proxy.url}/console/sessions/${session}` });
    await row(/Turn 1, call 1: Glob.*result sent/).waitFor();
    const status = page.getByRole('contentinfo');
    await status.getByText('Live.').waitFor();
    await first.close();
    await status.getByText('Connection lost').waitFor();
    const second = await startServer(t, { dataDir });
    proxy.target = second.url;
    await status.getByText('Live.').waitFor();
    await second.post(session, [call('after', 'Glob', { pattern: '*' })]);
    await row(/Turn 2, call 1: Glob.*result sent/).waitFor();
    assert.equal((await calls()).length, 2);
  });
}

async function asksForKey(parent: TestContext, browser: Browser): Promise<void> {
  await parent.test('asks for a key only where the service does, and keeps it no longer than the tab', async (t) => {
    const key = 'a-long-random-key';
    const server: TestServer = await startServer(t, { env: { TOOLEXEC_API_KEYS: `me:${key}` } });
    const { page } = await openConsole(t, browser, { url: `${server.url}/console/new` });
    await page.getByLabel('API key').fill('a-wrong-key-of-somebody');
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByText('The service does not take this key').waitFor();
    assert.equal(await page.evaluate('JSON.stringify(sessionStorage)'), '{}');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('button', { name: 'Create session' }).click();
    await page.getByRole('contentinfo').getByText('Live.').waitFor();
    assert.equal(await page.evaluate('JSON.stringify(localStorage)'), '{}');
    assert.doesNotMatch(page.url(), new RegExp(key));
  });
}
