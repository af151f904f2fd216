// `npm run openapi`: writes openapi.yaml and asyncapi.yaml from the routes and frames as they are now.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { asyncapiYaml, openapiYaml } from '../src/plugins/documents/documents.ts';

/** Absolute paths of the documents. */
export const DOCUMENT_FILES = {
  openapi: fileURLToPath(new URL('../openapi.yaml', import.meta.url)),
  asyncapi: fileURLToPath(new URL('../asyncapi.yaml', import.meta.url)),
} as const;

/** Builds the service, which does not listen, and asks it for its documents: the same text on every machine. */
export async function generateDocuments(): Promise<Record<keyof typeof DOCUMENT_FILES, string>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-documents-'));
  try {
    const app = await buildApp({ config: readConfig({ TOOLEXEC_DATA_DIR: dataDir }), logger: undefined });
    try {
      await app.ready();
      return { openapi: openapiYaml(app), asyncapi: asyncapiYaml() };
    } finally {
      await app.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { openapi, asyncapi } = await generateDocuments();
  await writeFile(DOCUMENT_FILES.openapi, openapi);
  await writeFile(DOCUMENT_FILES.asyncapi, asyncapi);
}
