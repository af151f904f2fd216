// Runs test files in this one process, one after another, until the first test that fails.
//
// arguments: the file that is told of what ran, then the test files
// environment: HIT_LIMIT  how often a mutant may be reached before its loop counts as endless
import { writeFileSync } from 'node:fs';
import { afterEach } from 'node:test';
import { pathToFileURL } from 'node:url';

const [, , reportFile, ...testFiles] = process.argv;
const hitLimit = Number(process.env['HIT_LIMIT']);
// Mutated code finds its counter here, and leaves its coverage.
const mutation = (globalThis['__stryker__'] = { currentTestId: 'these', ...(hitLimit > 0 && { hitLimit, hitCount: 0 }) });
const names = [];
let failed;
let reason;

afterEach((t) => {
  names.push(t.fullName);
  if (t.passed) return;
  failed = t.fullName;
  reason = String(t.error?.cause ?? t.error).slice(0, 1_000);
  process.exit(1);
});
process.on('exit', () => {
  const coverage = mutation.mutantCoverage?.perTest.these ?? {};
  writeFileSync(reportFile, JSON.stringify({ names, failed, reason, coverage }));
});

for (const file of testFiles) await import(pathToFileURL(file).href);
