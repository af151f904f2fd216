// A real browser, and what people do on the console in it.
import type { TestContext } from 'node:test';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { seriousFindings } from './axe.ts';

/** What a wait that is in vain takes, in milliseconds: machines that build are slow. */
const PATIENCE_MS = 20_000;

export async function startBrowser(t: Pick<TestContext, 'after'>): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    // In a container root has no name space to make a sandbox with, and shared memory is small.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage'],
  });
  t.after(() => browser.close());
  return browser;
}

export interface Console {
  readonly page: Page;
  /** What the browser complained of: scripts that failed, and what the policy of the page forbids. */
  readonly complaints: readonly string[];
  /** The calls of the timeline in words, those that are drawn. */
  readonly calls: () => Promise<string[]>;
  readonly call: (words: RegExp) => Locator;
  readonly tab: (name: string) => Promise<void>;
  /** What is seriously wrong for people who do not see the page, or see it badly. */
  readonly findings: () => Promise<string[]>;
}

export async function openConsole(
  t: Pick<TestContext, 'after'>,
  browser: Browser,
  { url, width = 1280, dark = false }: { url: string; width?: number; dark?: boolean },
): Promise<Console> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  t.after(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(url);
  const options = page.getByRole('listbox', { name: 'Calls over time' }).getByRole('option');
  return {
    page,
    complaints,
    calls: () => options.evaluateAll((rows) => rows.map((row) => row.querySelector('.row-label')?.textContent ?? '')),
    call: (words) => page.getByRole('option', { name: words }),
    tab: (name) => page.getByRole('navigation', { name: 'Parts of the session' }).getByRole('link', { name, exact: true }).click(),
    findings: () => seriousFindings(page),
  };
}
