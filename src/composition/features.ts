// What this service has beside its core: tools that require another thing are not there.
import { delimiter, join } from 'node:path';
import type { Config } from '../config.ts';
import { firstExecutable } from '../contract/index.ts';
import { BASE_ENVIRONMENT } from '../shell/base-environment.ts';

/** Where the commands of sessions look, which is not where the service does. */
const PWSH = (BASE_ENVIRONMENT['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'pwsh'));

export type FeatureSettings = Pick<Config, 'features' | 'model' | 'webSearch' | 'languageServers'>;

export async function featuresOf({ features, model, webSearch, languageServers }: FeatureSettings): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>(features);
  if (model !== undefined) wanted.add('model');
  if (webSearch !== undefined) wanted.add('search');
  if (Object.keys(languageServers).length === 0) wanted.delete('lsp');
  if ((await firstExecutable(PWSH)) !== undefined) wanted.add('pwsh');
  return wanted;
}
