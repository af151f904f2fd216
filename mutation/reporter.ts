// A plug-in for Stryker: says at once which mutants no test noticed, as a run takes long.
import type { MutantResult, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import type { Reporter } from '@stryker-mutator/api/report';
import { isTaken, keyOf, type Selection } from './sample.ts';

class Unnoticed implements Reporter {
  static inject = tokens(commonTokens.options);
  readonly #selection: Selection;

  constructor(options: StrykerOptions) {
    this.#selection = (options as unknown as { selection: Selection }).selection;
  }

  onMutantTested(result: Readonly<MutantResult>): void {
    const { status } = result;
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    const key = keyOf(result, this.#selection.root);
    if (isTaken(key, this.#selection)) console.log(`${status} ${key}`);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'unnoticed', Unnoticed)];
