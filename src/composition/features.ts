// What this service has beside its core: tools that require another thing are not there.
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Config } from '../config.ts';
import { BASE_ENVIRONMENT } from '../shell/base-environment.ts';

export type FeatureSettings = Pick<Config, 'features' | 'model' | 'webSearch' | 'languageServers'>;

export async function featuresOf({ features, model, webSearch, languageServers }: FeatureSettings): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>(features);
  if (model !== undefined) wanted.add('model');
  if (webSearch !== undefined) wanted.add('search');
  if (Object.keys(languageServers).length === 0) wanted.delete('lsp');
  if (await isOnPath('pwsh')) wanted.add('pwsh');
  return wanted;
}

/** Where the commands of sessions look, which is not where the service does. */
async function isOnPath(program: string): Promise<boolean> {
  const directories = (BASE_ENVIRONMENT['PATH'] ?? '').split(delimiter);
  const found = await Promise.all(
    directories.map((directory) =>
      access(join(directory, program), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
