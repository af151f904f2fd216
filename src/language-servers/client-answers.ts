// What servers may ask of a client, and what this one says. Whatever would change something is refused; what is not here is
// answered as unknown by the library.
import { basename } from 'node:path';
import type { ClientCapabilities, InitializeParams } from 'vscode-languageserver-protocol';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { z } from 'zod';
import { uriOf } from './uris.ts';

const MAX_ITEMS = 1_000;
const REFUSED = 'Nothing is changed by language servers here.';

const Configuration = z.looseObject({ items: z.array(z.unknown()) });
const Registered = z.looseObject({ registrations: z.array(z.looseObject({ method: z.string().max(200) })) });

/** @returns the methods that the server offers beside those that it names when it starts; more may come */
export function answerServer(connection: MessageConnection, workspace: string): ReadonlySet<string> {
  const offered = new Set<string>();
  connection.onRequest('workspace/configuration', (params: unknown) => {
    const { data } = Configuration.safeParse(params);
    return (data?.items ?? []).slice(0, MAX_ITEMS).map(() => null);
  });
  connection.onRequest('client/registerCapability', (params: unknown) => {
    for (const { method } of Registered.safeParse(params).data?.registrations ?? []) if (offered.size < MAX_ITEMS) offered.add(method);
    return null;
  });
  connection.onRequest('workspace/workspaceFolders', () => [folderOf(workspace)]);
  connection.onRequest('workspace/applyEdit', () => ({ applied: false, failureReason: REFUSED }));
  connection.onRequest('window/showDocument', () => ({ success: false }));
  for (const method of ['client/unregisterCapability', 'window/workDoneProgress/create', 'window/showMessageRequest']) {
    connection.onRequest(method, () => null);
  }
  for (const what of ['diagnostic', 'semanticTokens', 'inlayHint', 'codeLens']) {
    connection.onRequest(`workspace/${what}/refresh`, () => null);
  }
  return offered;
}

const CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    applyEdit: false,
    configuration: true,
    workspaceFolders: true,
    // Servers that cannot have files watched for them watch them by themselves.
    didChangeWatchedFiles: { dynamicRegistration: false },
    symbol: { symbolKind: { valueSet: Array.from({ length: 26 }, (_, index) => (index + 1) as 1) } },
  },
  textDocument: {
    synchronization: { dynamicRegistration: false },
    definition: { linkSupport: true },
    implementation: { linkSupport: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    publishDiagnostics: { versionSupport: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
  },
};

export function initializeParams(workspace: string, options: unknown): InitializeParams {
  return {
    // It runs where the service cannot be seen, and would take it for gone.
    processId: null,
    clientInfo: { name: 'toolexec' },
    rootUri: uriOf(workspace),
    workspaceFolders: [folderOf(workspace)],
    capabilities: CAPABILITIES,
    ...(options !== undefined && { initializationOptions: options }),
  };
}

function folderOf(workspace: string): { uri: string; name: string } {
  return { uri: uriOf(workspace), name: basename(workspace) };
}
