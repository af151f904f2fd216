// What axe finds wrong with a page for people who do not see it, or see it badly.
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResults {
  readonly violations: readonly {
    id: string;
    impact: string | null;
    help: string;
    nodes: readonly { html: string; failureSummary?: string }[];
  }[];
}

/** @returns the serious and critical ones, each with what it is about */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the policy of the page does not bind.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) =>
      nodes.slice(0, 5).map(({ html, failureSummary = '' }) => `${id}: ${help}\n${html.slice(0, 300)}\n${failureSummary}`),
    );
}
