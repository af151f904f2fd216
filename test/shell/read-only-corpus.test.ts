import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

interface Case {
  readonly cmd: string;
  readonly read_only: boolean;
  readonly kind: string;
  readonly debatable?: boolean;
}

const cases = JSON.parse(readFileSync(new URL('../cases/readonly.json', import.meta.url), 'utf8')) as Case[];
const shareOf = (some: readonly Case[]) => some.filter(({ cmd }) => isReadOnlyCommand(cmd)).length / some.length;

describe('the corpus of command lines', () => {
  test('has no line that writes, runs or sends something and passes as read-only', () => {
    const harmful = cases.filter((each) => !each.read_only);
    assert.ok(harmful.length > 1000);
    assert.deepEqual(
      harmful.filter(({ cmd }) => isReadOnlyCommand(cmd)).map(({ cmd }) => cmd),
      [],
    );
  });

  test('has most of its plainly harmless lines recognised', (t) => {
    const harmless = cases.filter((each) => each.read_only && each.debatable !== true);
    const debatable = cases.filter((each) => each.read_only && each.debatable === true);
    const share = shareOf(harmless);
    t.diagnostic(`recognised: ${(100 * share).toFixed(1)} % of ${harmless.length} harmless lines`);
    t.diagnostic(`allowed: ${(100 * shareOf(debatable)).toFixed(1)} % of ${debatable.length} debatable lines`);
    assert.ok(share >= 0.55, `${share}`);
  });

  test('never becomes read-only by a harmful line that is joined to it', () => {
    const harmless = cases.filter(({ cmd }) => isReadOnlyCommand(cmd)).slice(0, 200);
    for (const { cmd } of harmless) {
      for (const line of [
        `${cmd}\nrm x`,
        `rm x; ${cmd}`,
        `./evil && ${cmd}`,
        `echo "$(rm x)"; ${cmd}`,
        `{ ${cmd}\n} > out`,
        `{ ${cmd}\n} &`,
      ]) {
        assert.equal(isReadOnlyCommand(line), false, line);
      }
    }
  });
});
