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
const countOf = (some: readonly Case[]) => some.filter(({ cmd }) => isReadOnlyCommand(cmd)).length;
const figure = (some: readonly Case[]) => `${countOf(some)} of ${some.length}`;

describe('the corpus of command lines', () => {
  test('has no line that writes, runs or sends something and passes as read-only, of any kind', (t) => {
    const harmful = cases.filter((each) => !each.read_only);
    assert.ok(harmful.length > 1000);
    for (const [kind, some = []] of Object.entries(Object.groupBy(harmful, (each) => each.kind)))
      t.diagnostic(`${kind}: ${figure(some)} pass`);
    assert.deepEqual(
      harmful.filter(({ cmd }) => isReadOnlyCommand(cmd)).map(({ cmd }) => cmd),
      [],
    );
  });

  test('has at least 97 of 100 plainly harmless lines recognised', (t) => {
    const harmless = cases.filter((each) => each.read_only && each.debatable !== true);
    const debatable = cases.filter((each) => each.read_only && each.debatable === true);
    for (const [kind, some = []] of Object.entries(Object.groupBy(harmless, (each) => each.kind))) t.diagnostic(`${kind}: ${figure(some)}`);
    t.diagnostic(`recognised: ${figure(harmless)} harmless lines; allowed: ${figure(debatable)} debatable lines`);
    assert.ok(countOf(harmless) / harmless.length >= 0.97);
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
