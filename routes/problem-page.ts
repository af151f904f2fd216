// The page that a person gets who follows the `type` of a problem.

export interface ExplainedProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly help: string;
}

/** Nothing is loaded or run by it. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

export function problemPage({ type, title, status, help }: ExplainedProblem): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>
  :root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
  body { max-width: 38rem; margin: 4rem auto; padding: 0 1rem }
  code { font-size: 0.9em }
</style>
<h1>${escaped(title)}</h1>
<p>${escaped(help)}</p>
<p>Status ${status}, type <code>${escaped(type)}</code>. <a href="/docs">API reference</a></p>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
